package io.argosy.server.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelMutableAst;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableMap;
import dev.cel.common.ast.CelMutableExpr.CelMutableStruct;
import dev.cel.common.navigation.CelNavigableMutableAst;
import dev.cel.common.navigation.CelNavigableMutableExpr;
import io.argosy.server.cel.Expressions.CompileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Expressions that make objects write their types by path, {@code Object.spec.template}, and mean plain maps. */
final class StructLiterals {
    private static final String OBJECT = "Object";

    /** What an operation of a JSON patch consists of. */
    private static final String PATCH = "JSONPatch";

    private static final Set<String> PATCH_FIELDS = Set.of("op", "path", "from", "value");

    private StructLiterals() {}

    static CelAbstractSyntaxTree asMaps(CelAbstractSyntaxTree parsed) throws CompileException {
        CelMutableAst tree = CelMutableAst.fromCelAst(parsed);
        List<CelMutableExpr> structs = new ArrayList<>();
        long last = 0;
        for (CelNavigableMutableExpr node :
                CelNavigableMutableAst.fromAst(tree).getRoot().allNodes().toList()) {
            last = Math.max(last, node.id());
            if (node.getKind() == Kind.STRUCT) {
                structs.add(node.expr());
                last = Math.max(
                        last,
                        node.expr().struct().entries().stream()
                                .mapToLong(CelMutableStruct.Entry::id)
                                .max()
                                .orElse(0));
            }
        }
        for (CelMutableExpr struct : structs) {
            check(struct.struct());
        }
        for (CelMutableExpr struct : structs) {
            List<CelMutableMap.Entry> entries = new ArrayList<>();
            for (CelMutableStruct.Entry entry : struct.struct().entries()) {
                CelMutableExpr key = CelMutableExpr.ofConstant(++last, CelConstant.ofValue(entry.fieldKey()));
                entries.add(CelMutableMap.Entry.create(entry.id(), key, entry.value(), entry.optionalEntry()));
            }
            struct.setMap(CelMutableMap.create(entries));
        }
        return tree.toParsedAst();
    }

    /** An object within an object is named by the field it stands in. */
    private static void check(CelMutableStruct struct) throws CompileException {
        String name = struct.messageName();
        boolean ofPatch = name.equals(PATCH);
        if (!ofPatch && !name.equals(OBJECT) && !name.startsWith(OBJECT + ".")) {
            throw new CompileException("compilation failed: undeclared reference to '" + name + "' (in container '')");
        }
        for (CelMutableStruct.Entry entry : struct.entries()) {
            if (ofPatch) {
                if (!PATCH_FIELDS.contains(entry.fieldKey())) {
                    throw new CompileException("compilation failed: undefined field '" + entry.fieldKey() + "'");
                }
                continue;
            }
            String expected = name + "." + entry.fieldKey();
            List<CelMutableExpr> values =
                    entry.value().getKind() == Kind.LIST ? entry.value().list().elements() : List.of(entry.value());
            for (CelMutableExpr value : values) {
                if (value.getKind() == Kind.STRUCT
                        && !value.struct().messageName().equals(expected)) {
                    throw new CompileException("type mismatch: unexpected type name \""
                            + value.struct().messageName() + "\", expected \"" + expected
                            + "\", which matches field name path from root Object type");
                }
            }
        }
    }
}
