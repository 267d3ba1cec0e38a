package io.argosy.controllers.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.client.Owners;
import io.argosy.client.model.Models;
import io.argosy.controllers.pod.PodTemplateHash;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The templates that a workload has had, as ControllerRevisions; kubectl's rollout history and undo read them.
 *
 * @param update the revision of the template as it is now, to be created or given a higher number if it says so
 * @param current the revision that the workload still runs
 * @param forget revisions that history need not keep
 * @param collisionCount how often the name of a revision was taken, or null
 */
public record RevisionHistory(
        ControllerRevision update,
        boolean create,
        boolean renumber,
        ControllerRevision current,
        List<ControllerRevision> forget,
        Integer collisionCount) {
    private static final Comparator<ControllerRevision> OLDEST_FIRST = Comparator.comparingLong(
                    (ControllerRevision revision) -> number(revision))
            .thenComparing(revision -> revision.getMetadata().getName());

    /** What is kept: as many as the limit, and all that a pod or the workload itself still uses. */
    public record Keeping(int limit, Set<String> live) {}

    public static RevisionHistory of(
            HasMetadata owner,
            PodTemplateSpec template,
            List<ControllerRevision> revisions,
            String currentName,
            Integer collisionCount,
            Keeping keeping) {
        List<ControllerRevision> sorted = new ArrayList<>(revisions);
        sorted.sort(OLDEST_FIRST);
        JsonNode data = data(template);
        long next = sorted.isEmpty() ? 1 : number(sorted.getLast()) + 1;
        ControllerRevision same = null;
        for (ControllerRevision revision : sorted) {
            if (plain(revision.getData()).equals(data)) {
                same = revision;
            }
        }
        boolean create = same == null;
        boolean renumber = same != null && !same.equals(sorted.getLast());
        ControllerRevision update = same;
        if (create) {
            update = revision(owner, template, data, next, collisionCount);
        } else if (renumber) {
            update = new ControllerRevisionBuilder(same).withRevision(next).build();
        }
        String updateName = update.getMetadata().getName();
        ControllerRevision current = sorted.stream()
                .filter(revision -> revision.getMetadata().getName().equals(currentName))
                .findFirst()
                .orElse(update);
        List<ControllerRevision> unused = sorted.stream()
                .filter(revision -> {
                    String name = revision.getMetadata().getName();
                    return !name.equals(updateName)
                            && !name.equals(current.getMetadata().getName())
                            && !keeping.live().contains(name);
                })
                .toList();
        return new RevisionHistory(
                update,
                create,
                renumber,
                current,
                unused.subList(0, Math.max(0, unused.size() - keeping.limit())),
                collisionCount);
    }

    /** The template that a revision remembers. */
    public static PodTemplateSpec template(ControllerRevision revision) {
        ObjectNode template = (ObjectNode)
                plain(revision.getData()).path("spec").path("template").deepCopy();
        template.remove("$patch");
        return Models.decode(template, PodTemplateSpec.class);
    }

    static boolean sameData(ControllerRevision one, ControllerRevision other) {
        return plain(one.getData()).equals(plain(other.getData()));
    }

    private static ControllerRevision revision(
            HasMetadata owner, PodTemplateSpec template, JsonNode data, long number, Integer collisionCount) {
        String hash = PodTemplateHash.of(data, collisionCount);
        Map<String, String> labels = template.getMetadata() == null
                ? Map.of()
                : template.getMetadata().getLabels();
        ControllerRevision revision = new ControllerRevisionBuilder()
                .withNewMetadata()
                .withNamespace(owner.getMetadata().getNamespace())
                .withName(owner.getMetadata().getName() + "-" + hash)
                .withLabels(labels)
                .addToLabels("controller.kubernetes.io/hash", hash)
                .addToLabels("controller-revision-hash", hash)
                .withAnnotations(owner.getMetadata().getAnnotations())
                .withOwnerReferences(Owners.controlledBy(owner))
                .endMetadata()
                .withRevision(number)
                .build();
        revision.setData(data);
        return revision;
    }

    private static JsonNode data(PodTemplateSpec template) {
        ObjectNode tree = Json.decodeObject(Models.encode(template));
        tree.put("$patch", "replace");
        return Json.object().set("spec", Json.object().set("template", sorted(tree)));
    }

    /** In the order of its keys: there are those who compare a revision with a template byte by byte. */
    private static JsonNode sorted(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            ObjectNode sorted = Json.object();
            new TreeMap<>(object.properties().stream()
                            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)))
                    .forEach((key, value) -> sorted.set(key, sorted(value)));
            return sorted;
        }
        if (tree instanceof ArrayNode array) {
            ArrayNode sorted = Json.NODES.arrayNode();
            array.forEach(element -> sorted.add(sorted(element)));
            return sorted;
        }
        return tree;
    }

    /** As parsed from JSON, whatever the model made of it: so that equal means equal. */
    private static JsonNode plain(Object data) {
        return Json.decodeObject(Json.encode(Models.<JsonNode>toTree(data)));
    }

    private static long number(ControllerRevision revision) {
        return revision.getRevision() == null ? 0 : revision.getRevision();
    }
}
