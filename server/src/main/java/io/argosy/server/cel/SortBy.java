package io.argosy.server.cel;

import com.google.common.collect.ImmutableList;
import dev.cel.common.ast.CelExpr;
import dev.cel.parser.CelMacro;
import dev.cel.parser.CelMacroExprFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** {@code list.sortBy(x, key)}: a list in the order of what is worked out for each element; the list has the type it had. */
final class SortBy {
    static final String FUNCTION = "@sortByAssociatedKeys";
    static final CelMacro MACRO = CelMacro.newReceiverMacro("sortBy", 2, SortBy::expand);

    private SortBy() {}

    private static Optional<CelExpr> expand(
            CelMacroExprFactory make, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != CelExpr.ExprKind.Kind.IDENT) {
            return Optional.of(make.reportError("sortBy() variable name must be a simple identifier"));
        }
        String keys = make.getAccumulatorVarName();
        CelExpr all = make.fold(
                variable.ident().name(),
                make.copy(target),
                keys,
                make.newList(),
                make.newBoolLiteral(true),
                make.newGlobalCall("_+_", make.newIdentifier(keys), make.newList(arguments.get(1))),
                make.newIdentifier(keys));
        return Optional.of(make.newReceiverCall(FUNCTION, target, all));
    }

    static List<Object> sorted(List<?> list, List<?> keys) {
        Comparator<Integer> byKey = (one, other) -> ListFunctions.compare(keys.get(one), keys.get(other));
        List<Object> sorted = new ArrayList<>();
        IntStream.range(0, list.size()).boxed().sorted(byKey).forEach(place -> sorted.add(list.get(place)));
        return sorted;
    }
}
