package io.argosy.api.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What appliers and updaters do to objects and to each other's fields. */
class FieldOwnershipTest {
    private static final Shape POD = Shape.of(
            Schemas.builtIn().find(new GroupVersionKind("", "v1", "Pod")).orElseThrow());

    private Shape shape = POD;
    private int second;
    private ObjectNode live = Json.object();
    private ManagedFields managed = ManagedFields.decode(null);

    private static ObjectNode yaml(String text) {
        try {
            return (ObjectNode) Yaml.decode(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private FieldOwnership write() {
        Shape known = shape;
        FieldOwnership.Versions versions = new FieldOwnership.Versions() {
            @Override
            public Optional<ObjectNode> convert(ObjectNode object, String from, String to) {
                return to.equals("gone") ? Optional.empty() : Optional.of(object);
            }

            @Override
            public Shape shape(String apiVersion) {
                return known;
            }
        };
        return new FieldOwnership(versions, "v1", "", fields -> fields, "2026-01-01T00:00:%02dZ".formatted(second++));
    }

    private void apply(String name, String config) {
        accept(write().apply(live, yaml(config), managed, name, false));
    }

    private void force(String name, String config) {
        accept(write().apply(live, yaml(config), managed, name, true));
    }

    private void accept(FieldOwnership.Applied applied) {
        live = applied.object();
        managed = applied.managed();
    }

    private void update(String name, String object) {
        ObjectNode wanted = yaml(object);
        managed = write().update(live, wanted, managed, name);
        live = wanted;
    }

    private void assertLive(String expected) {
        assertThat(live).isEqualTo(yaml(expected));
    }

    private String fields(String name) {
        for (JsonNode entry : managed.encode()) {
            if (entry.path("manager").asText().equals(name)) {
                return entry.path("fieldsV1").toString().replace("\\\"", "'").replace("\"", "");
            }
        }
        return "";
    }

    @Test
    void applierOwnsWhatItNames() {
        apply("a", "{metadata: {labels: {x: '1'}}, spec: {containers: [{name: c, image: i, args: [b]}]}}");
        assertThat(fields("a"))
                .isEqualTo("{f:metadata:{f:labels:{f:x:{}}},f:spec:{f:containers:{k:{'name':'c'}:"
                        + "{.:{},f:args:{},f:image:{},f:name:{}}}}}");
    }

    @Test
    void updaterOwnsContainersItMakesToo() {
        update("u", "{metadata: {name: n, uid: u, labels: {x: '1'}}, spec: {containers: [{name: c, image: i}]}}");
        assertThat(fields("u"))
                .isEqualTo("{f:metadata:{f:labels:{.:{},f:x:{}}},f:spec:{f:containers:{.:{},k:{'name':'c'}:"
                        + "{.:{},f:image:{},f:name:{}}}}}");
    }

    @Test
    void twoAppliersShareWhatTheyAgreeOn() {
        apply("a", "{metadata: {labels: {x: '1', y: '1'}}}");
        apply("b", "{metadata: {labels: {x: '1'}}}");
        apply("a", "{metadata: {labels: {y: '1'}}}");
        assertLive("{metadata: {labels: {x: '1', y: '1'}}}");
        apply("b", "{}");
        assertLive("{metadata: {labels: {y: '1'}}}");
        assertThat(fields("b")).isEmpty();
    }

    @Test
    void lastFieldTakesTheEmptyContainerWithIt() {
        apply("a", "{metadata: {name: n, labels: {x: '1'}}}");
        apply("a", "{metadata: {name: n}}");
        assertLive("{metadata: {name: n}}");
        assertThat(managed.isEmpty()).isTrue();
    }

    @Test
    void elementStaysAsLongAsSomebodyOwnsAPartOfIt() {
        apply("a", "{spec: {containers: [{name: c, image: i}, {name: d, image: j}]}}");
        apply("b", "{spec: {containers: [{name: d, stdin: true}]}}");
        apply("a", "{spec: {containers: [{name: c, image: i}]}}");
        assertLive("{spec: {containers: [{name: c, image: i}, {name: d, stdin: true}]}}");
        apply("b", "{}");
        assertLive("{spec: {containers: [{name: c, image: i}]}}");
    }

    @Test
    void nestedElementsAreFoundByAllTheirKeysAndDefaults() {
        apply("a", "{spec: {containers: [{name: c, ports: [{containerPort: 80}, {containerPort: 81}]}]}}");
        apply("b", "{spec: {containers: [{name: c, ports: [{containerPort: 80, protocol: UDP, name: u}]}]}}");
        apply("b", "{spec: {containers: [{name: c, ports: [{containerPort: 80, protocol: TCP, name: t}]}]}}");
        assertLive("{spec: {containers: [{name: c, ports: [{containerPort: 80, protocol: TCP, name: t},"
                + " {containerPort: 81}]}]}}");
    }

    @Test
    void appliersOrderRulesAndOthersStayInPlace() {
        apply("a", "{spec: {containers: [{name: x}, {name: y}, {name: z}]}}");
        apply("b", "{spec: {containers: [{name: z}, {name: n}, {name: x}]}}");
        assertThat(live.at("/spec/containers").findValuesAsText("name")).containsExactly("y", "z", "n", "x");
    }

    @Test
    void setsAreOwnedByElement() {
        apply("a", "{metadata: {finalizers: [one, two]}}");
        apply("b", "{metadata: {finalizers: [two, three]}}");
        apply("a", "{metadata: {finalizers: [one]}}");
        assertLive("{metadata: {finalizers: [one, two, three]}}");
        apply("b", "{metadata: {finalizers: [three]}}");
        assertLive("{metadata: {finalizers: [one, three]}}");
    }

    @Test
    void atomicListsAndStructsAreOwnedAsAWhole() {
        apply("a", "{spec: {containers: [{name: c, command: [x, y]}], nodeSelector: {k: v}}}");
        assertThatThrownBy(() -> apply("b", "{spec: {containers: [{name: c, command: [x]}], nodeSelector: {l: v}}}"))
                .hasMessage("Apply failed with 2 conflicts: conflicts with \"a\":\n- .spec.nodeSelector\n"
                        + "- .spec.containers[name=\"c\"].command");
        force("b", "{spec: {containers: [{name: c, command: [x]}], nodeSelector: {l: v}}}");
        assertLive("{spec: {containers: [{name: c, command: [x]}], nodeSelector: {l: v}}}");
        assertThat(fields("a")).isEqualTo("{f:spec:{f:containers:{k:{'name':'c'}:{.:{},f:name:{}}}}}");
    }

    @Test
    void conflictsNameEveryManagerAndField() {
        apply("a", "{metadata: {labels: {x: '1', y: '1'}}}");
        update("u", "{metadata: {labels: {x: '1', y: '2'}}}");
        assertThatThrownBy(() -> apply("b", "{metadata: {labels: {x: '2', y: '3'}}}"))
                .isInstanceOfSatisfying(ApiException.class, refusal -> {
                    assertThat(refusal.code()).isEqualTo(409);
                    assertThat(refusal.details().causes()).hasSize(2);
                })
                .hasMessage("Apply failed with 2 conflicts: conflicts with \"a\":\n- .metadata.labels.x\n"
                        + "conflicts with \"u\" using v1:\n- .metadata.labels.y");
    }

    @Test
    void updaterNeverConflictsAndTheFieldCanBeWonBack() {
        apply("a", "{metadata: {labels: {x: '1'}}}");
        update("u", "{metadata: {labels: {x: '2'}}}");
        assertThat(fields("a")).isEmpty();
        assertThat(fields("u")).isEqualTo("{f:metadata:{f:labels:{f:x:{}}}}");
        force("a", "{metadata: {labels: {x: '1'}}}");
        assertThat(fields("u")).isEmpty();
        assertThat(fields("a")).isEqualTo("{f:metadata:{f:labels:{f:x:{}}}}");
    }

    @Test
    void appliersGiveUpFieldsWithoutRemovingWhatAnUpdaterOwns() {
        apply("a", "{metadata: {labels: {x: '1'}}}");
        update("u", "{metadata: {labels: {x: '2'}}}");
        apply("a", "{}");
        assertLive("{metadata: {labels: {x: '2'}}}");
    }

    @Test
    void updaterWhoRemovesAFieldTakesItFromAll() {
        apply("a", "{metadata: {labels: {x: '1', y: '1'}}}");
        update("u", "{metadata: {labels: {y: '1'}}}");
        assertThat(fields("a")).isEqualTo("{f:metadata:{f:labels:{f:y:{}}}}");
        assertThat(fields("u")).isEmpty();
    }

    @Test
    void timeChangesOnlyWithTheObject() {
        apply("a", "{metadata: {labels: {x: '1'}}}");
        String before = managed.encode().toString();
        apply("a", "{metadata: {labels: {x: '1'}}}");
        assertThat(managed.encode()).hasToString(before);
        update("u", "{metadata: {labels: {x: '1'}}}");
        assertThat(managed.encode()).hasToString(before);
    }

    @Test
    void withoutASchemaObjectsAreOwnedByKeyAndListsAsAWhole() {
        shape = Shape.DEDUCED;
        apply("a", "{spec: {one: {two: 1, list: [{name: x}]}}}");
        assertThat(fields("a")).isEqualTo("{f:spec:{.:{},f:one:{.:{},f:list:{},f:two:{}}}}");
        assertThatThrownBy(() -> apply("b", "{spec: {one: {list: [{name: y}]}}}"))
                .hasMessage("Apply failed with 1 conflict: conflict with \"a\": .spec.one.list");
    }

    @Test
    void valueOfAnotherFormIsAChange() {
        shape = Shape.DEDUCED;
        apply("a", "{spec: {v: {x: 1}}}");
        assertThatThrownBy(() -> apply("b", "{spec: {v: text}}")).isInstanceOf(ApiException.class);
        force("b", "{spec: {v: text}}");
        assertLive("{spec: {v: text}}");
        assertThat(fields("a")).isEqualTo("{f:spec:{}}");
    }

    @Test
    void repeatedElementsAreOwnedTogetherAndRefusedInAConfiguration() {
        update("u", "{spec: {containers: [{name: c, image: i}, {name: c, image: j}]}}");
        assertThat(fields("u")).isEqualTo("{f:spec:{f:containers:{.:{},k:{'name':'c'}:{}}}}");
        assertThatThrownBy(() -> apply("a", "{spec: {containers: [{name: c}, {name: c}]}}"))
                .hasMessage("duplicate entries for key [name=\"c\"]");
    }

    @Test
    void ownersInVersionsNoLongerServedAreForgotten() throws IOException {
        managed = ManagedFields.decode(Json.decode("""
                [{"manager":"old","operation":"Update","apiVersion":"gone","fieldsType":"FieldsV1",
                  "fieldsV1":{"f:spec":{}}}]
                """.getBytes(StandardCharsets.UTF_8)));
        update("u", "{metadata: {labels: {x: '1'}}}");
        assertThat(fields("old")).isEmpty();
    }

    @Test
    void oldestOfMoreThanTenUpdatersBecomeOne() {
        StringBuilder labels = new StringBuilder();
        for (int i = 0; i < 13; i++) {
            labels.append("l").append(i).append(": v, ");
            update("u" + i, "{metadata: {labels: {" + labels + "}}}");
        }
        assertThat(managed.encode()).hasSize(10);
        assertThat(fields("ancient-changes"))
                .contains("f:l0", "f:l1", "f:l2", "f:l3")
                .doesNotContain("f:l4");
    }

    @Test
    void kubectlTakesOverWhatClientSideApplySet() {
        String annotated = "{metadata: {labels: {x: '%s', y: '1'}, annotations:"
                + " {kubectl.kubernetes.io/last-applied-configuration:"
                + " '{\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{\"x\":\"1\",\"y\":\"1\"}}}'}}}";
        update("kubectl-client-side-apply", annotated.formatted("1"));
        apply("kubectl", "{apiVersion: v1, metadata: {labels: {x: '2', y: '1'}}}");
        assertThat(live.at("/metadata/labels/x").asText()).isEqualTo("2");
        assertThat(live.at("/metadata/annotations").toString()).contains("\\\"x\\\":\\\"2\\\"");

        update("other", annotated.formatted("3"));
        assertThatThrownBy(() -> apply("kubectl", "{apiVersion: v1, metadata: {labels: {x: '4', y: '1'}}}"))
                .hasMessage("Apply failed with 1 conflict: conflict with \"other\" using v1: .metadata.labels.x");
    }

    @Test
    void editedEntriesAreHonouredButNotLostByClientsThatDoNotKnowThem() throws IOException {
        JsonNode stored = Json.decode("""
                [{"manager":"a","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]
                """.getBytes(StandardCharsets.UTF_8));
        JsonNode edited = ((com.fasterxml.jackson.databind.node.ArrayNode) stored.deepCopy());
        ((ObjectNode) edited.get(0)).put("manager", "b");
        assertThat(FieldOwnership.choose(stored, edited, true).encode()).isEqualTo(edited);
        assertThat(FieldOwnership.choose(stored, edited, false).encode()).isEqualTo(stored);
        assertThat(FieldOwnership.choose(stored, null, true).encode()).isEqualTo(stored);
        ((ObjectNode) edited.get(0)).put("operation", "Nonsense");
        assertThat(FieldOwnership.choose(stored, edited, true).encode()).isEqualTo(stored);
        assertThat(FieldOwnership.choose(stored, yaml("{m: [{}]}").get("m"), true)
                        .isEmpty())
                .isTrue();
    }
}
