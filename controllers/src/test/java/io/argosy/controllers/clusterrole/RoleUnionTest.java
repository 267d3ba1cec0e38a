package io.argosy.controllers.clusterrole;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoleUnionTest {
    private static ObjectNode role(String name, String label, String verbs) {
        return Json.decodeObject("""
                {"metadata":{"name":"%s","labels":{"%s":"true"}},"rules":[{"verbs":[%s],"resources":["pods"]}]}""".formatted(name, label, verbs).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void anAggregatedRoleHasTheRulesOfThoseItSelectsEachOnce() {
        ObjectNode sum = role("sum", "to-sum", "\"old\"");
        sum.withArray("/aggregationRule/clusterRoleSelectors")
                .addObject()
                .putObject("matchLabels")
                .put("to-sum", "true");
        List<ObjectNode> all = List.of(
                sum,
                role("c", "to-sum", "\"list\""),
                role("a", "to-sum", "\"get\""),
                role("b", "to-sum", "\"get\""),
                role("d", "to-other", "\"delete\""));

        assertThat(RoleUnion.rules(sum, all).findValues("verbs")).hasToString("[[\"get\"], [\"list\"]]");
    }

    @Test
    void rulesComeInTheOrderOfTheSelectorsAndThenOfTheNames() {
        ObjectNode sum = role("sum", "x", "\"old\"");
        for (String label : List.of("first", "second")) {
            sum.withArray("/aggregationRule/clusterRoleSelectors")
                    .addObject()
                    .putObject("matchLabels")
                    .put(label, "true");
        }
        List<ObjectNode> all = List.of(
                role("a", "second", "\"get\""), role("c", "first", "\"list\""), role("b", "first", "\"watch\""));

        assertThat(RoleUnion.rules(sum, all).findValues("verbs")).hasToString("[[\"watch\"], [\"list\"], [\"get\"]]");
    }

    @Test
    void aRoleWithoutSelectorsSelectsNothing() {
        ObjectNode sum = role("sum", "x", "\"old\"");
        sum.putObject("aggregationRule").putArray("clusterRoleSelectors");

        assertThat(RoleUnion.rules(sum, List.of(sum, role("a", "to-sum", "\"get\""))))
                .isEmpty();
    }
}
