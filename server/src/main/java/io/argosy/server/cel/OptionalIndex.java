package io.argosy.server.cel;

import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.ast.CelReference;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An index into what may not be there: {@code request.userInfo.extra[?'key'][0]}. The evaluator tells overloads apart by the classes of their
 * arguments, and a list that may not be there is of the class of a map that may not be there; so where the checker leaves both open, one
 * overload that looks at what is inside stands for both.
 */
final class OptionalIndex {
    /** The overload for maps, which takes any key, by the one for lists that is of no use beside it. */
    private static final Map<String, String> MAPS_BY_LISTS = Map.of(
            "optional_list_index_int", "optional_map_index_value",
            "optional_list_optindex_optional_int", "optional_map_optindex_optional_value");

    private OptionalIndex() {}

    /** Those for maps, which take lists as well; they must be added before the library that has others of these names. */
    @SuppressWarnings("rawtypes") // a class object knows no parameters
    static List<CelFunctionBinding> bindings(CelOptions options) {
        RuntimeEquality equality = RuntimeEquality.create(RuntimeHelpers.create(), options);
        return MAPS_BY_LISTS.values().stream()
                .map(id -> CelFunctionBinding.from(
                        id, Optional.class, Object.class, (Optional of, Object key) -> find(of, key, equality)))
                .toList();
    }

    private static Object find(Optional<?> collection, Object key, RuntimeEquality equality) {
        if (collection.isEmpty()) {
            return collection;
        }
        if (collection.get() instanceof List<?> list && key instanceof Long index) {
            return index < 0 || index >= list.size() ? Optional.empty() : Optional.of(list.get(index.intValue()));
        }
        return equality.findInMap((Map<?, ?>) collection.get(), key);
    }

    /** The checked expression with one overload only where the classes of arguments would not tell which is meant. */
    static CelAbstractSyntaxTree settled(CelAbstractSyntaxTree tree) {
        ImmutableMap<Long, CelReference> references = tree.getReferenceMap();
        Map<Long, CelReference> settled = new HashMap<>();
        references.forEach((step, reference) -> {
            List<String> open = reference.overloadIds();
            List<String> left = open.stream()
                    .filter(id -> !open.contains(MAPS_BY_LISTS.getOrDefault(id, "")))
                    .toList();
            if (left.size() < open.size()) {
                settled.put(
                        step,
                        CelReference.newBuilder()
                                .setName(reference.name())
                                .addOverloadIds(left)
                                .build());
            }
        });
        if (settled.isEmpty()) {
            return tree;
        }
        references.forEach(settled::putIfAbsent);
        return CelAbstractSyntaxTree.newCheckedAst(tree.getExpr(), tree.getSource(), settled, tree.getTypeMap());
    }
}
