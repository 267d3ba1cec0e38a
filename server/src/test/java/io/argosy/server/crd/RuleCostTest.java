package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.types.CelType;
import io.argosy.api.json.Json;
import io.argosy.api.status.Cause;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.cel.CostEstimate;
import io.argosy.server.cel.Expressions.Scope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What rules can cost at worst, by what the schema lets values become: the same figures as Kubernetes comes to. */
class RuleCostTest {
    private static final String OBJECT =
            "{'type':'object','required':['required'],'properties':{'required':{'type':'string'},'optional':{'type':'string'}}}";

    private static StructuralSchema schema(String text) {
        return StructuralSchema.of(Json.decodeObject(
                text.replace("OBJECT", OBJECT).replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    private static double cost(String rule, StructuralSchema schema) throws Exception {
        SelfTypes types = new SelfTypes();
        CelType self = types.type(schema, "schema", false);
        Scope scope = new Scope(Map.of("self", self, "oldSelf", self), types.structs());
        return CostEstimate.of(scope.compile(rule).tree(), Extent.of(schema, false));
    }

    /** Without a limit, and with the limit in place of LIMIT. */
    @ParameterizedTest(name = "{1} on {0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {'type':'array','items':{'type':'number'},'maxItems':LIMIT} | self.all(x, true) | 4718591 | 10 | 32
        {'type':'array','items':{'type':'string'},'maxItems':LIMIT} | self.all(x, true) | 3145727 | 20 | 62
        {'type':'array','items':{'type':'boolean'},'maxItems':LIMIT} | self.all(x, true) | 1887437 | 5 | 17
        {'type':'array','items':{'type':'array','items':{'type':'number'}},'maxItems':LIMIT} | self.all(x, true) | 3145727 | 100 | 302
        {'type':'array','items':OBJECT,'maxItems':LIMIT} | self.all(x, true) | 555128 | 50 | 152
        {'type':'object','additionalProperties':{'type':'number'},'maxProperties':LIMIT} | self.all(x, true) | 1348169 | 10 | 32
        {'type':'object','additionalProperties':{'type':'string'},'maxProperties':LIMIT} | self.all(x, true) | 1179647 | 3 | 11
        {'type':'object','additionalProperties':{'type':'boolean'},'maxProperties':LIMIT} | self.all(x, true) | 943718 | 100 | 302
        {'type':'string','maxLength':LIMIT} | self.contains('test') | 314574 | 10 | 5
        {'type':'string','maxLength':LIMIT} | self.startsWith('test') | 2 | 15 | 2
        {'type':'string','maxLength':LIMIT} | self.endsWith('test') | 2 | 30 | 2
        {'type':'string','maxLength':LIMIT} | size(self + "hello") > size("hello") | 314578 | 4 | 7
        {'type':'array','items':{'type':'number'},'maxItems':LIMIT} | self[1] == 0.0 | 2 | 5000 | 2
        {'type':'array','items':{'type':'string'},'maxItems':LIMIT} | self[1] == self[1] | 314577 | 8 | 314577
        {'type':'array','items':{'type':'number'},'maxItems':LIMIT} | self.all(x, self.all(y, true)) | | 10 | 352
        {'type':'array','items':{'type':'number'},'maxItems':LIMIT} | self.all(x, self.all(y, self.all(z, true))) | | 10 | 3552
        {'type':'string','maxLength':LIMIT} | self.matches("x") | 314574 | 50 | 22
        {'type':'string','maxLength':LIMIT} | "".matches("(((((((((())))))))))[0-9]") | 7 | 10 | 7
        {'type':'string','maxLength':LIMIT} | self.matches("") | 1 | 100 | 1
        {'type':'object','additionalProperties':{'type':'string','maxLength':LIMIT},'maxProperties':LIMIT} | self.all(x, x.contains(self[x])) | 2752507 | 10 | 72
        {'type':'object','additionalProperties':{'type':'number'},'maxProperties':LIMIT} | self["x"] == 0.0 | 2 | 0 | 2
        {'type':'string','maxLength':LIMIT} | self == "x" | 2 | 0 | 1
        {'type':'string','format':'byte','maxLength':LIMIT} | self == b"x" | 2 | 0 | 1
        {'type':'array','items':{'type':'number'},'maxItems':LIMIT} | self.all(x, x == 0.0) | 6291454 | 6291456 | 25165826
        {'type':'array','items':{'type':'object','maxProperties':LIMIT,'additionalProperties':OBJECT},'maxItems':LIMIT} | self.all(x, x["y"].required == "z") | 7340027 | 10 | 72
        {'type':'array','items':{'type':'object','maxProperties':LIMIT,'additionalProperties':OBJECT}} | self.all(x, x["y"].required == "z") | 7340027 | 10 | 7340027
        {'type':'array','items':{'x-kubernetes-int-or-string':true},'maxItems':LIMIT} | self.all(x, true) | 4718591 | 10 | 32
        {'type':'array','items':{'x-kubernetes-int-or-string':true},'maxItems':LIMIT} | self[0] == 5 | 3 | 10 | 3
        {'type':'array','items':OBJECT,'maxItems':LIMIT} | self[0] == null | 2 | 422 | 2
        {'type':'array','items':{'type':'array','items':{'type':'number'}},'maxItems':LIMIT} | self[0][0] == -1.0 | 3 | 51 | 3
        {'type':'array','items':{'type':'object','additionalProperties':{'type':'number'}},'maxItems':LIMIT} | self.all(x, x.y == 25.2) | 6291452 | 12 | 74
        {'type':'array','items':{'type':'object','additionalProperties':{'type':'number'}},'maxItems':LIMIT} | self[0].x > 2.0 | 4 | 3000 | 4
        {'type':'array','items':{'type':'string','format':'duration'},'maxItems':LIMIT} | self.all(x, true) | 2359295 | 5 | 17
        {'type':'array','items':{'type':'string','format':'duration'},'maxItems':LIMIT} | self[0].getHours() == 2 | 4 | 525 | 4
        {'type':'array','items':{'type':'string','format':'date'},'maxItems':LIMIT} | self.all(x, true) | 725936 | 15 | 47
        {'type':'array','items':{'type':'string','format':'date-time'},'maxItems':LIMIT} | self.all(x, true) | 428963 | 25 | 77
        {'type':'array','items':{'type':'string','format':'date-time'},'maxItems':LIMIT} | self[2].getMinutes() == 45 | 4 | 99 | 4
        {'type':'object','additionalProperties':{'x-kubernetes-int-or-string':true},'maxProperties':LIMIT} | self.all(x, true) | 1348169 | 15 | 47
        {'type':'object','additionalProperties':OBJECT,'maxProperties':LIMIT} | self.all(x, true) | 428963 | 20 | 62
        {'type':'object','additionalProperties':{'type':'string','format':'duration'},'maxProperties':LIMIT} | self.all(x, true) | 1048577 | 5 | 17
        {'type':'object','additionalProperties':{'type':'string','format':'date'},'maxProperties':LIMIT} | self.all(x, true) | 524288 | 10 | 32
        {'type':'object','additionalProperties':{'type':'string','format':'date-time'},'maxProperties':LIMIT} | self["a"] == self["b"] | 8 | 7 | 8
        {'type':'string','maxLength':LIMIT} | self.find('[0-9]+') == '' | 629147 | 10 | 11
        {'type':'array','items':{'type':'string','maxLength':LIMIT},'maxItems':LIMIT} | self.join(' ') == 'aa bb' | 329853068905 | 10 | 43
        {'type':'array','items':{'type':'string','maxLength':LIMIT},'maxItems':LIMIT} | self.isSorted() == true | 329854432052 | 10 | 52
        {'type':'object','properties':{'str':{'type':'string','maxLength':LIMIT},'before':{'type':'string','maxLength':2},'after':{'type':'string','maxLength':4}}} | self.str.replace(self.before, self.after) == 'does not matter' | 629154 | 4 | 12
        {'type':'object','properties':{'str':{'type':'string','maxLength':LIMIT},'separator':{'type':'string','maxLength':LIMIT}}} | self.str.split(self.separator) == [] | 629160 | 10 | 22
        {'type':'string','maxLength':LIMIT} | self.lowerAscii() == 'lower!' | 314575 | 10 | 6
        {'type':'object','additionalProperties':{'type':'integer'},'maxProperties':LIMIT} | oldSelf.size() == self.size() | 5 | 10 | 5
        {'type':'string','enum':['A','B','C','LongValue'],'maxLength':LIMIT} | self.contains('A') | 2 | 1000 | 401
        {'x-kubernetes-int-or-string':true,'maxLength':LIMIT} | isQuantity(self) | 314574 | 20 | 9
        """)
    void theEstimateIsThatOfKubernetes(String schema, String rule, Long without, String limit, double with)
            throws Exception {
        double unlimited = cost(
                rule, schema(schema.replaceAll(",?'max[A-Za-z]*':LIMIT", "").replace("{,", "{")));
        if (without == null) {
            assertThat(unlimited).isGreaterThan(10_000_000);
        } else {
            assertThat(unlimited).isEqualTo((double) without);
        }
        assertThat(cost(rule, schema(schema.replace("LIMIT", limit)))).isEqualTo(with);
    }

    private static List<String> checked(String schema) {
        FieldErrors errors = new FieldErrors();
        Rules.check(schema(schema), "schema", errors);
        List<String> lines = new ArrayList<>();
        for (Cause cause : errors.causes()) {
            lines.add(cause.field() + ": " + cause.message());
        }
        return lines;
    }

    private static final String ADVICE =
            " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and"
                    + " strings are declared)";

    @Test
    void aRuleIsCountedAsOftenAsItsValueCanBeThere() {
        String values = "{'type':'object','properties':{'l':{'type':'array'%s,'items':{'type':'string','maxLength':10,"
                + "'x-kubernetes-validations':[{'rule':'self.contains(self)'}]}}}}";
        String rule =
                "schema.properties[l].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds"
                        + " budget by factor of ";
        assertThat(checked(values.formatted(""))).containsExactly(rule + "1.9x" + ADVICE);
        assertThat(checked(values.formatted(",'maxItems':700000"))).containsExactly(rule + "1.260000x" + ADVICE);
        assertThat(checked(values.formatted(",'maxItems':500000"))).isEmpty();
    }

    @Test
    void allRulesTogetherHaveALimitToo() {
        ObjectNode root = Json.object().put("type", "object");
        for (int i = 0; i < 15; i++) {
            ObjectNode field =
                    root.withObject("/properties/f" + i).put("type", "string").put("maxLength", 7000);
            field.putArray("x-kubernetes-validations").addObject().put("rule", "self.contains(self)");
        }
        List<String> errors = checked(root.toString());
        assertThat(errors)
                .hasSize(5)
                .last()
                .asString()
                .isEqualTo("schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3"
                        + " schema exceeds budget by factor of 1.176000x" + ADVICE);
        assertThat(errors.getFirst())
                .endsWith("].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total"
                        + " exceeding cost limit for entire OpenAPIv3 schema");
    }

    @Test
    void messagesMustBeCheapAsWell() {
        assertThat(checked("{'type':'object','properties':{'s':{'type':'array','items':{'type':'string'},"
                        + "'x-kubernetes-validations':[{'rule':'true','messageExpression':'self.join(self[0])'}]}}}"))
                .anyMatch(line -> line.startsWith("schema.properties[s].x-kubernetes-validations[0].messageExpression:"
                        + " Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x"));
    }
}
