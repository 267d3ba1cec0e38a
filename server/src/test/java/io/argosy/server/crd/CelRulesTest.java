package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.Cause;
import io.argosy.api.status.FieldErrors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules in schemas: what they can say, what they see, what is refused and in which words. */
class CelRulesTest {
    private static final String FIELDS = """
            {"n":{"type":"integer"},"m":{"type":"integer"},"s":{"type":"string","maxLength":64},"d":{"type":"number"},
             "b":{"type":"boolean"},"t":{"type":"string","format":"date-time"},"dur":{"type":"string","format":"duration"},
             "l":{"type":"array","maxItems":10,"items":{"type":"integer"}},
             "names":{"type":"array","maxItems":10,"items":{"type":"string","maxLength":20}},
             "map":{"type":"object","maxProperties":10,"additionalProperties":{"type":"string","maxLength":20}},
             "is":{"x-kubernetes-int-or-string":true},"a-b":{"type":"string","maxLength":9},"in":{"type":"integer"},
             "rows":{"type":"array","maxItems":5,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
                     "items":{"type":"object","required":["k"],"properties":{"k":{"type":"string","maxLength":9},"v":{"type":"integer"}}}}}""";
    private static final String VALUES = """
            {"n":3,"m":5,"s":"hello","d":1.5,"b":true,"t":"2024-01-02T03:04:05Z","dur":"90s","l":[1,2,3],"names":["a","b"],
             "map":{"x":"1"},"is":"50%","a-b":"dash","in":1,"rows":[{"k":"one","v":1},{"k":"two","v":2}]}""";

    private static ObjectNode tree(String json) {
        return Json.decodeObject(json.getBytes(StandardCharsets.UTF_8));
    }

    /** A schema whose spec has the fields above and a rule. */
    private static StructuralSchema schema(String rule, String more) {
        ObjectNode root = tree(
                "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":" + FIELDS + "}}}");
        ObjectNode spec = (ObjectNode) root.at("/properties/spec");
        ObjectNode one = spec.putArray("x-kubernetes-validations").addObject().put("rule", rule);
        one.setAll(tree("{" + more.replace('\'', '"') + "}"));
        return StructuralSchema.of(root);
    }

    private static ObjectNode object(String spec) {
        return tree("{\"metadata\":{\"name\":\"x\"},\"spec\":" + spec.replace('\'', '"') + "}");
    }

    private static List<String> lines(FieldErrors errors) {
        List<String> lines = new ArrayList<>();
        for (Cause cause : errors.causes()) {
            lines.add(cause.field() + ": " + cause.message());
        }
        return lines;
    }

    private static List<String> checked(StructuralSchema schema) {
        FieldErrors errors = new FieldErrors();
        Rules.check(schema, "schema", errors);
        return lines(errors);
    }

    private static List<String> validated(StructuralSchema schema, ObjectNode object, ObjectNode before) {
        FieldErrors errors = new FieldErrors();
        Rules.of(schema).validate(object, before, errors);
        return lines(errors);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "self.n < self.m && self.b",
                "has(self.s) && self.s.startsWith('he') && self.s.matches('^h.*o$') && size(self.s) == 5",
                "self.d > 1 && self.d < 2.0",
                "self.l.all(x, x > 0) && self.l.exists(x, x == 2) && self.l.map(x, x * 2) == [2, 4, 6]",
                "self.l.isSorted() && self.l.sum() == 6 && self.l.min() == 1 && self.l.max() == 3 && self.l.indexOf(2) == 1",
                "'x' in self.map && self.map['x'] == '1' && self.map.all(k, self.map[k] != '')",
                "self.rows.exists_one(r, r.k == 'two' && r.v == 2)",
                "type(self.is) == string ? self.is == '50%' : self.is < 5",
                "self.a__dash__b == 'dash' && self.__in__ == 1",
                "self.t > timestamp('2023-01-01T00:00:00Z') && self.t.getFullYear() == 2024",
                "self.dur == duration('1m30s')",
                "quantity('500m').isLessThan(quantity('1')) && quantity('1Ki').asInteger() == 1024 && !isQuantity('x')",
                "quantity('1').add(quantity('500m')) == quantity('1.5') && quantity('2').sub(1).compareTo(quantity('1')) == 0",
                "url('https://u.example.com:8080/p?q=1').getHost() == 'u.example.com:8080' && isURL('/x') && !isURL('x')",
                "url('https://example.com/p?q=1&q=2').getQuery()['q'] == ['1', '2']",
                "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && !isIP('10.0.0.256') && ip.isCanonical('::1')",
                "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16')) && isCIDR('::/0')",
                "cidr('10.1.2.3/8').masked().ip() == ip('10.0.0.0') && cidr('10.0.0.0/8').prefixLength() == 8",
                "'abc 123'.find('[0-9]+') == '123' && 'a1b2'.findAll('[0-9]') == ['1', '2'] && 'a1b2'.findAll('[0-9]', 1) == ['1']",
                "'%s has %d of %.1f'.format(['x', 3, 2.5]) == 'x has 3 of 2.5'",
                "!format.dns1123Label().validate('good-name').hasValue() && format.dns1123Label().validate('Bad').hasValue()",
                "format.named('dns1123Label').hasValue() && !format.named('nothing').hasValue()",
                "self.s.upperAscii() == 'HELLO' && self.s.replace('l', 'L') == 'heLLo' && self.s.split('l').size() == 3",
                "self.names.join(',') == 'a,b' && sets.contains([1, 2], [2])",
                "semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && semver('v01.2', true) == semver('1.2.0') && !isSemver('1.2')",
                "semver('1.2.3+x').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.10.3').compareTo(semver('1.9.9')) == 1",
                "[3, 1, 2].sort() == [1, 2, 3] && [1, 1, 2].distinct() == [1, 2] && [1, 2].reverse() == [2, 1]",
                "[1, 2, 3].slice(0, 2) == [1, 2] && [[1], [2]].flatten() == [1, 2] && lists.range(3) == [0, 1, 2]",
                "self.rows.sortBy(r, -r.v).map(r, r.k) == ['two', 'one']",
                "self.?s.orValue('none') == 'hello' && self.map[?'no'].orValue('none') == 'none'",
            })
    void rulesSeeTheirObjectAndHaveTheLibraries(String rule) {
        StructuralSchema schema = schema(rule, "");
        assertThat(checked(schema)).isEmpty();
        assertThat(validated(schema, object(VALUES), null)).isEmpty();
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            self.n > 5 | | spec: Invalid value: failed rule: self.n > 5
            self.n > 5 | 'message':'n is too small' | spec: Invalid value: n is too small
            self.n > 5 | 'messageExpression':'"n is %d".format([self.n])' | spec: Invalid value: n is 3
            self.n > 5 | 'message':'plain','messageExpression':'string(1/(self.n - 3))' | spec: Invalid value: plain
            self.n > 5 | 'message':'x','fieldPath':'.n' | spec.n: Invalid value: x
            self.n > 5 | 'message':'x','fieldPath':'.map.key' | spec.map[key]: Invalid value: x
            self.n > 5 | 'message':'x','reason':'FieldValueForbidden','fieldPath':'.n' | spec.n: Forbidden: x
            self.n > 5 | 'message':'x','reason':'FieldValueRequired','fieldPath':'.n' | spec.n: Required value: x
            """)
    void aRuleThatDoesNotHoldSaysSo(String rule, String more, String error) {
        StructuralSchema schema = schema(rule, more == null ? "" : more.replace("\"", "\\\""));
        assertThat(checked(schema)).isEmpty();
        assertThat(validated(schema, object(VALUES), null)).containsExactly(error);
    }

    @ParameterizedTest
    @ValueSource(strings = {"self.metadata.name == 'x'", "self.spec.n == 3 && self.spec.inner.s == 'deep'"})
    void aRuleOfTheWholeObjectSeesItsNameAndAllBelow(String rule) {
        StructuralSchema schema = StructuralSchema.of(tree("""
            {"type":"object","x-kubernetes-validations":[{"rule":"%s"}],"properties":{"spec":{"type":"object","properties":{
             "n":{"type":"integer"},"inner":{"type":"object","properties":{"s":{"type":"string","maxLength":9}}}}}}}""".formatted(rule)));
        assertThat(checked(schema)).isEmpty();
        assertThat(validated(schema, object("{'n':3,'inner':{'s':'deep'}}"), null))
                .isEmpty();
        assertThat(validated(schema, object("{'n':4,'inner':{'s':'deep'}}").put("kind", "Thing"), null))
                .hasSize(rule.contains("spec") ? 1 : 0);
    }

    @Test
    void anEvaluationThatFailsIsAnError() {
        assertThat(validated(schema("self.l[7] == 1", ""), object(VALUES), null))
                .singleElement()
                .asString()
                .startsWith("spec: Invalid value: \"object\": ")
                .endsWith(" evaluating rule: self.l[7] == 1");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            self.nothing == 1 | undefined field 'nothing'
            self.n == 'x' | found no matching overload for '_==_'
            self.n + 1 | cel expression must evaluate to a bool
            self.n > | compilation failed
            other == 1 | undeclared reference to 'other'
            self.s.matches('[') | invalid matches argument
            self.s.matches('((a{1000}){1000}){1000}') | invalid matches argument
            self.dur == duration('soon') | invalid duration argument
            self.t == timestamp('noon') | invalid timestamp argument
            [1, 'a'].size() == 2 | expected type 'int' but found 'string'
            {'a': 1, 'b': true}.size() == 2 | expected type 'int' but found 'bool'
            """)
    void aWrongRuleIsRefusedWithTheDefinition(String rule, String error) {
        assertThat(checked(schema(rule, "")))
                .singleElement()
                .asString()
                .startsWith("schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: ")
                .contains(error);
    }

    @Test
    void transitionRulesCompareWithWhatWas() {
        StructuralSchema schema = schema("self.n >= oldSelf.n", "");
        assertThat(validated(schema, object("{'n':1}"), null)).isEmpty();
        assertThat(validated(schema, object("{'n':2}"), object("{'n':1}"))).isEmpty();
        assertThat(validated(schema, object("{'n':1}"), object("{'n':2}")))
                .containsExactly("spec: Invalid value: failed rule: self.n >= oldSelf.n");
        StructuralSchema optional =
                schema("oldSelf.hasValue() ? self.n >= oldSelf.value().n : self.n == 1", "'optionalOldSelf':true");
        assertThat(checked(optional)).isEmpty();
        assertThat(validated(optional, object("{'n':2}"), null)).hasSize(1);
        assertThat(validated(optional, object("{'n':2}"), object("{'n':1}"))).isEmpty();
        assertThat(checked(schema("self.n == 1", "'optionalOldSelf':true")))
                .containsExactly(
                        "schema.properties[spec].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set"
                                + " if oldSelf is not used in rule");
    }

    @Test
    void whatHasNotChangedIsNotTestedAgain() {
        StructuralSchema schema = schema("self.n > 5", "");
        assertThat(validated(schema, object("{'n':1}"), object("{'n':1}"))).isEmpty();
        assertThat(validated(schema, object("{'n':2}"), object("{'n':1}"))).hasSize(1);
    }

    @Test
    void rulesThatCanCostTooMuchAreRefused() {
        ObjectNode root = tree("""
                {"type":"object","properties":{"spec":{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}},
                 "x-kubernetes-validations":[{"rule":"self.l.all(x, self.l.all(y, x == y))"}]}}}""");
        assertThat(checked(StructuralSchema.of(root)))
                .containsExactly(
                        "schema.properties[spec].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost"
                                + " exceeds budget by factor of more than 100x (try simplifying the rule, or adding"
                                + " maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
                        "schema.properties[spec].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated"
                                + " rule cost total exceeding cost limit for entire OpenAPIv3 schema",
                        "schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3"
                                + " schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding"
                                + " maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)");
    }

    @Test
    void anEvaluationThatCostsTooMuchIsEnded() {
        ObjectNode root = tree("""
                {"type":"object","properties":{"spec":{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}}},
                 "x-kubernetes-validations":[{"rule":"self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))"}]}}}""");
        StringBuilder many = new StringBuilder("0");
        for (int i = 1; i < 500; i++) {
            many.append(",").append(i);
        }
        assertThat(validated(StructuralSchema.of(root), object("{'l':[" + many + "]}"), null))
                .containsExactly(
                        "spec: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation"
                                + " rules will be run due to call cost exceeds limit for rule: self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))");
    }

    @Test
    void oldSelfNeedsSomethingToCompareWith() {
        ObjectNode root = tree("""
                {"type":"object","properties":{"l":{"type":"array","maxItems":3,"items":{"type":"integer",
                 "x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}}}}""");
        assertThat(checked(StructuralSchema.of(root)))
                .containsExactly(
                        "schema.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: \"self >= oldSelf\": oldSelf"
                                + " cannot be used on the uncorrelatable portion of the schema within schema.properties[l]");
    }
}
