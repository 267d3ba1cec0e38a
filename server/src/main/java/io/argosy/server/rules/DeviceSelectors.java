package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import io.argosy.server.cel.CostEstimate;
import io.argosy.server.cel.Expressions.CompileException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Expressions.Scope;
import io.argosy.server.cel.Size;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The expressions that choose devices. They are compiled when they are written, not with every later write of the same object: what was
 * accepted once stays so.
 */
public final class DeviceSelectors {
    /** Bytes. */
    static final int LONGEST = 10 * 1024;

    private static final double MOST_COST = 1_000_000;

    private DeviceSelectors() {}

    public static void ofClass(Spot deviceClass) {
        all(deviceClass.at("spec").at("selectors"));
    }

    public static void ofChangedClass(Spot deviceClass, JsonNode before) {
        Spot selectors = deviceClass.at("spec").at("selectors");
        if (!selectors.value().equals(before.path("spec").path("selectors"))) {
            all(selectors);
        }
    }

    /** Those of a claim, whose spec never changes. */
    public static void ofClaim(Spot spec) {
        for (Spot request : spec.at("devices").each("requests")) {
            all(request.at("exactly").at("selectors"));
            request.each("firstAvailable").forEach(one -> all(one.at("selectors")));
        }
    }

    private static void all(Spot selectors) {
        if (selectors.value().size() > DeviceClaimRules.MOST_SELECTORS) {
            return; // too many is already an error, and reason enough not to compile them
        }
        for (Spot selector : selectors.each()) {
            if (selector.has("cel")) {
                check(selector.at("cel").at("expression"));
            }
        }
    }

    private static void check(Spot expression) {
        String text = expression.text();
        if (expression.bytes() > LONGEST) {
            return;
        }
        try {
            Expression compiled = Device.SCOPE.compile(text);
            if (!List.of(SimpleType.BOOL, SimpleType.ANY).contains(compiled.resultType())) {
                expression.invalid(text, "must evaluate to bool or the unknown type, not " + compiled.shownType());
            } else if (cost(compiled) > MOST_COST) {
                expression.forbidden("too complex, exceeds cost limit");
            }
        } catch (CompileException wrong) {
            expression.invalid(text, wrong.getMessage());
        }
    }

    /** What it can cost at worst. */
    static double cost(Expression expression) {
        return CostEstimate.of(expression.tree(), Device::size);
    }

    static Expression compile(String expression) throws CompileException {
        return Device.SCOPE.compile(expression);
    }

    /** What expressions know of a device; apart, so that nothing of CEL is loaded before there is one. */
    private static final class Device {
        private static final int MOST_ENTRIES = 32;
        private static final int LONGEST_NAME = 63;
        private static final int LONGEST_ID = 32;
        private static final int LONGEST_VALUE = 64;
        private static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");
        static final Scope SCOPE = scope();

        private static Scope scope() {
            ImmutableMap<String, CelType> fields = ImmutableMap.of(
                    "driver", SimpleType.STRING,
                    "attributes", byDomain(SimpleType.ANY),
                    "capacity", byDomain(QUANTITY));
            String name = "kubernetes.DRADevice";
            CelType device = StructType.create(name, fields.keySet(), field -> Optional.ofNullable(fields.get(field)));
            return Scope.binding(Map.of("device", device), Map.of(name, device));
        }

        private static CelType byDomain(CelType value) {
            return MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, value));
        }

        /** How large what an expression finds in a device can be. */
        static Size size(List<String> path) {
            return switch (path.size()) {
                case 2 -> path.get(1).equals("driver") ? Size.upTo(LONGEST_NAME) : Size.upTo(MOST_ENTRIES);
                case 3 -> path.get(2).equals("@keys") ? Size.upTo(LONGEST_NAME) : Size.upTo(MOST_ENTRIES);
                case 4 -> {
                    if (path.get(3).equals("@keys")) {
                        yield Size.upTo(LONGEST_ID);
                    }
                    if (path.get(1).equals("attributes")) {
                        yield Size.upTo(LONGEST_VALUE);
                    }
                    if (path.get(3).equals("@values")) {
                        yield Size.upTo(0);
                    }
                    yield null;
                }
                default -> null;
            };
        }
    }
}
