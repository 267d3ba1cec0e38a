package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.runtime.ContainerSpec.Io;
import io.argosy.node.runtime.PodIdentity;
import io.argosy.node.runtime.ProcessUser;
import io.argosy.node.runtime.oci.SandboxRecord.ProcessMark;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is remembered of a container on disk; whether it runs or has ended is read from the kernel and the exit file. */
record ContainerRecord(
        String id,
        String sandboxId,
        PodIdentity pod,
        String name,
        int attempt,
        Phase phase,
        Optional<ProcessMark> process,
        Optional<ProcessUser> user,
        String cgroup,
        String imageId,
        Path logPath,
        Io io,
        int stopSignal,
        boolean ownProcesses,
        boolean terminationMessage,
        Instant createdAt,
        Optional<Instant> startedAt,
        Map<String, String> labels) {

    /** How far its making or unmaking has come. */
    enum Phase {
        CREATING,
        CREATED,
        STARTED,
        REMOVING
    }

    ContainerRecord withPhase(Phase next) {
        return with(next, process, user, startedAt);
    }

    ContainerRecord created(ProcessMark mark, ProcessUser begunAs) {
        return with(Phase.CREATED, Optional.of(mark), Optional.of(begunAs), startedAt);
    }

    ContainerRecord started(Instant at) {
        return with(Phase.STARTED, process, user, Optional.of(at));
    }

    private ContainerRecord with(
            Phase next, Optional<ProcessMark> mark, Optional<ProcessUser> begunAs, Optional<Instant> start) {
        return new ContainerRecord(
                id,
                sandboxId,
                pod,
                name,
                attempt,
                next,
                mark,
                begunAs,
                cgroup,
                imageId,
                logPath,
                io,
                stopSignal,
                ownProcesses,
                terminationMessage,
                createdAt,
                start,
                labels);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.put("id", id);
        json.put("sandboxId", sandboxId);
        json.set("pod", SandboxRecord.podJson(pod));
        json.put("name", name);
        json.put("attempt", attempt);
        json.put("phase", phase.name());
        process.ifPresent(mark -> json.put("pid", mark.pid()).put("startTicks", mark.startTicks()));
        user.ifPresent(known -> json.set("user", userJson(known)));
        json.put("cgroup", cgroup);
        json.put("imageId", imageId);
        json.put("logPath", logPath.toString());
        json.put("tty", io.tty());
        json.put("stdin", io.stdin());
        json.put("stdinOnce", io.stdinOnce());
        json.put("stopSignal", stopSignal);
        json.put("ownProcesses", ownProcesses);
        json.put("terminationMessage", terminationMessage);
        json.put("createdAt", createdAt.toString());
        startedAt.ifPresent(at -> json.put("startedAt", at.toString()));
        json.set("labels", Json.map(labels));
        return json;
    }

    static ContainerRecord fromJson(JsonNode json) {
        return new ContainerRecord(
                json.get("id").asText(),
                json.get("sandboxId").asText(),
                SandboxRecord.podFromJson(json.get("pod")),
                json.get("name").asText(),
                json.get("attempt").asInt(),
                Phase.valueOf(json.get("phase").asText()),
                json.has("pid")
                        ? Optional.of(new ProcessMark(
                                json.get("pid").asLong(), json.get("startTicks").asLong()))
                        : Optional.empty(),
                Optional.ofNullable(json.get("user")).map(ContainerRecord::userOf),
                json.get("cgroup").asText(),
                json.get("imageId").asText(),
                Path.of(json.get("logPath").asText()),
                new Io(
                        json.get("tty").asBoolean(),
                        json.get("stdin").asBoolean(),
                        json.get("stdinOnce").asBoolean()),
                json.get("stopSignal").asInt(),
                json.get("ownProcesses").asBoolean(),
                json.get("terminationMessage").asBoolean(),
                Instant.parse(json.get("createdAt").asText()),
                Optional.ofNullable(json.get("startedAt")).map(JsonNode::asText).map(Instant::parse),
                Json.stringMap(json.get("labels")));
    }

    /** As in a container's config.json. */
    private static ObjectNode userJson(ProcessUser user) {
        ObjectNode json = Json.object().put("uid", user.uid()).put("gid", user.gid());
        ArrayNode groups = json.putArray("additionalGids");
        user.groups().forEach(groups::add);
        return json;
    }

    /** The user that a container's config.json names, or a record. */
    static ProcessUser userOf(JsonNode json) {
        List<Long> groups = new ArrayList<>();
        json.path("additionalGids").forEach(group -> groups.add(group.asLong()));
        return new ProcessUser(json.path("uid").asLong(), json.path("gid").asLong(), groups);
    }
}
