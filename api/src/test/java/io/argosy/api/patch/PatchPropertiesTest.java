package io.argosy.api.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.RandomJson;
import io.argosy.api.Tries;
import io.argosy.api.json.Json;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What holds of all patches, whatever they say. */
class PatchPropertiesTest {
    private static final int TRIES = 1_000;
    private static final Schema POD =
            Schemas.builtIn().find(GroupVersionKind.of("v1", "Pod")).orElseThrow();

    /** What a merge patch must say to make one tree of another; nothing can be null in the outcome. */
    private static JsonNode difference(JsonNode from, JsonNode to) {
        if (!(from instanceof ObjectNode before) || !(to instanceof ObjectNode after)) {
            return to;
        }
        ObjectNode patch = Json.object();
        before.fieldNames().forEachRemaining(name -> {
            if (!after.has(name)) {
                patch.putNull(name);
            }
        });
        for (Map.Entry<String, JsonNode> entry : after.properties()) {
            JsonNode was = before.get(entry.getKey());
            if (!entry.getValue().equals(was)) {
                patch.set(entry.getKey(), was == null ? entry.getValue() : difference(was, entry.getValue()));
            }
        }
        return patch;
    }

    @Test
    void aMergePatchOfTheDifferenceMakesTheOneOfTheOther() {
        Tries.of(TRIES, random -> {
            RandomJson json = new RandomJson(random, false);
            ObjectNode from = json.object(4);
            ObjectNode to = json.object(4);
            JsonNode patch = difference(from, to);
            JsonNode once = MergePatch.apply(from.deepCopy(), patch.deepCopy());
            assertThat(once).as("%s with %s", from, patch).isEqualTo(to);
            assertThat(MergePatch.apply(once.deepCopy(), patch)).isEqualTo(once);
        });
    }

    @Test
    void anyMergePatchTwiceIsThatPatchOnce() {
        Tries.of(TRIES, random -> {
            RandomJson json = new RandomJson(random, true);
            JsonNode patch = json.object(4);
            JsonNode once = MergePatch.apply(json.object(4), patch.deepCopy());
            assertThat(MergePatch.apply(once.deepCopy(), patch)).as("%s", patch).isEqualTo(once);
        });
    }

    private static String escaped(String name) {
        return "/" + name.replace("~", "~0").replace("/", "~1");
    }

    /** Takes everything away and puts everything there, in operations on single members. */
    @Test
    void aPatchOfOperationsMakesTheOneOfTheOtherAndItsTestsHold() {
        Tries.of(TRIES, random -> {
            RandomJson json = new RandomJson(random, true);
            ObjectNode from = json.object(4);
            ObjectNode to = json.object(4);
            ArrayNode patch = Json.NODES.arrayNode();
            from.fieldNames().forEachRemaining(name -> {
                if (!to.has(name)) {
                    patch.addObject().put("op", "remove").put("path", escaped(name));
                }
            });
            for (Map.Entry<String, JsonNode> entry : to.properties()) {
                String operation = from.has(entry.getKey()) && random.nextBoolean() ? "replace" : "add";
                patch.addObject()
                        .put("op", operation)
                        .put("path", escaped(entry.getKey()))
                        .set("value", entry.getValue());
            }
            for (Map.Entry<String, JsonNode> entry : to.properties()) {
                patch.addObject()
                        .put("op", "test")
                        .put("path", escaped(entry.getKey()))
                        .set("value", entry.getValue());
            }
            assertThat(JsonPatch.apply(from.deepCopy(), patch))
                    .as("%s with %s", from, patch)
                    .isEqualTo(to);
        });
    }

    @Test
    void anythingThatIsSentAsOperationsIsAppliedOrRefused() {
        List<String> operations = List.of("add", "remove", "replace", "move", "copy", "test", "", "nonsense");
        Tries.of(TRIES, random -> {
            RandomJson json = new RandomJson(random, true);
            ArrayNode patch = Json.NODES.arrayNode();
            for (int i = random.nextInt(6); i >= 0; i--) {
                if (random.nextInt(10) == 0) {
                    patch.add(json.tree(2));
                } else {
                    patch.addObject()
                            .put("op", operations.get(random.nextInt(operations.size())))
                            .put("path", pointer(random, json))
                            .put("from", pointer(random, json))
                            .set("value", json.tree(2));
                }
            }
            appliedOrRefused(() -> JsonPatch.apply(json.object(4), patch));
        });
    }

    private static String pointer(Random random, RandomJson json) {
        StringBuilder pointer = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            pointer.append(random.nextInt(8) == 0 ? json.text() : escaped(json.name()));
        }
        return pointer.toString();
    }

    private static void appliedOrRefused(Runnable patch) {
        try {
            patch.run();
        } catch (ApiException refused) {
            assertThat(refused.code()).isBetween(400, 499);
        }
    }

    /** A pod whose lists have few keys, so that two of them share some. */
    private static ObjectNode pod(Random random) {
        ObjectNode pod = Json.object();
        ObjectNode spec = pod.putObject("spec");
        if (random.nextInt(4) > 0) {
            ArrayNode containers = spec.putArray("containers");
            for (String name : List.of("a", "b", "c")) {
                if (random.nextBoolean()) {
                    ObjectNode container =
                            containers.addObject().put("name", name).put("image", "i" + random.nextInt(3));
                    if (random.nextBoolean()) {
                        ArrayNode variables = container.putArray("env");
                        for (String variable : List.of("X", "Y", "Z")) {
                            if (random.nextBoolean()) {
                                variables.addObject().put("name", variable).put("value", "" + random.nextInt(3));
                            }
                        }
                    }
                    if (random.nextBoolean()) {
                        container.putArray("args").add("" + random.nextInt(3));
                    }
                }
            }
        }
        ObjectNode labels = pod.putObject("metadata").putObject("labels");
        for (String label : List.of("l", "m")) {
            switch (random.nextInt(3)) {
                case 0 -> labels.put(label, "" + random.nextInt(3));
                case 1 -> labels.putNull(label);
                default -> {}
            }
        }
        return pod;
    }

    @Test
    void aStrategicPatchTwiceIsThatPatchOnceAndEveryElementOfItIsThere() {
        Tries.of(TRIES, random -> {
            ObjectNode patch = pod(random);
            ObjectNode target = (ObjectNode) MergePatch.apply(Json.object(), pod(random));
            ObjectNode once = StrategicMergePatch.apply(target.deepCopy(), patch.deepCopy(), POD);
            assertThat(StrategicMergePatch.apply(once.deepCopy(), patch.deepCopy(), POD))
                    .as("%s with %s", target, patch)
                    .isEqualTo(once);
            for (JsonNode container : patch.at("/spec/containers")) {
                assertThat(once.at("/spec/containers"))
                        .filteredOn(one -> one.path("name").equals(container.path("name")))
                        .singleElement()
                        .satisfies(one -> assertThat(one.path("image")).isEqualTo(container.path("image")));
            }
            for (JsonNode container : target.at("/spec/containers")) {
                assertThat(once.at("/spec/containers"))
                        .as("a patch without directives takes no element away")
                        .anyMatch(one -> one.path("name").equals(container.path("name")));
            }
        });
    }

    @Test
    void anythingThatIsSentAsAStrategicPatchIsAppliedOrRefused() {
        List<String> directives = List.of(
                "$patch",
                "$retainKeys",
                "$setElementOrder/containers",
                "$setElementOrder/env",
                "$deleteFromPrimitiveList/finalizers",
                "$setElementOrder/",
                "$deleteFromPrimitiveList/");
        List<String> fields =
                List.of("metadata", "spec", "containers", "env", "finalizers", "labels", "name", "volumes");
        Tries.of(TRIES, random -> {
            ObjectNode patch = pod(random);
            RandomJson json = new RandomJson(random, true);
            for (int i = random.nextInt(4); i >= 0; i--) {
                List<ObjectNode> places = patch.findParents("name").stream()
                        .filter(ObjectNode.class::isInstance)
                        .map(ObjectNode.class::cast)
                        .toList();
                ObjectNode place = places.isEmpty() || random.nextBoolean()
                        ? (ObjectNode) patch.at(random.nextBoolean() ? "/spec" : "/metadata")
                        : places.get(random.nextInt(places.size()));
                String name = random.nextBoolean()
                        ? directives.get(random.nextInt(directives.size()))
                        : fields.get(random.nextInt(fields.size()));
                place.set(name, json.tree(3));
            }
            ObjectNode target = (ObjectNode) MergePatch.apply(Json.object(), pod(random));
            appliedOrRefused(() -> StrategicMergePatch.apply(target, patch, POD));
        });
    }
}
