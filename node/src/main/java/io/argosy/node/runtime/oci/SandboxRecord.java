package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.PodIdentity;
import io.argosy.node.runtime.SandboxSpec.Namespaces;
import io.argosy.node.runtime.SandboxSpec.PortMapping;
import io.argosy.node.runtime.SandboxSpec.Protocol;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is remembered of a sandbox on disk; written before the first thing is made, so nothing made is ever forgotten.
 *
 * @param boot the kernel's boot id: after a reboot the namespaces are gone, whatever the file says
 */
record SandboxRecord(
        String id,
        PodIdentity pod,
        Phase phase,
        String boot,
        String hostname,
        Path logDirectory,
        Namespaces namespaces,
        String cgroup,
        List<PortMapping> ports,
        List<String> addresses,
        Optional<ProcessMark> pause,
        boolean privileged,
        Instant createdAt,
        Map<String, String> labels) {

    /** How far its making or unmaking has come. */
    enum Phase {
        CREATING,
        READY,
        STOPPED,
        REMOVING
    }

    /** A process that cannot be taken for another with the same pid. */
    record ProcessMark(long pid, long startTicks) {
        boolean alive() {
            return Procs.alive(pid, startTicks);
        }
    }

    SandboxRecord withPhase(Phase next) {
        return new SandboxRecord(
                id,
                pod,
                next,
                boot,
                hostname,
                logDirectory,
                namespaces,
                cgroup,
                ports,
                addresses,
                pause,
                privileged,
                createdAt,
                labels);
    }

    SandboxRecord ready(List<String> newAddresses, Optional<ProcessMark> newPause) {
        return new SandboxRecord(
                id,
                pod,
                Phase.READY,
                boot,
                hostname,
                logDirectory,
                namespaces,
                cgroup,
                ports,
                newAddresses,
                newPause,
                privileged,
                createdAt,
                labels);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.put("id", id);
        json.set("pod", podJson(pod));
        json.put("phase", phase.name());
        json.put("boot", boot);
        json.put("hostname", hostname);
        json.put("logDirectory", logDirectory.toString());
        json.put("hostNetwork", namespaces.hostNetwork());
        json.put("hostPid", namespaces.hostPid());
        json.put("hostIpc", namespaces.hostIpc());
        json.put("shareProcesses", namespaces.shareProcesses());
        namespaces.users().ifPresent(users -> json.put("firstId", users.first()).put("ids", users.length()));
        json.put("cgroup", cgroup);
        for (PortMapping port : ports) {
            json.withArray("ports")
                    .addObject()
                    .put("protocol", port.protocol().name())
                    .put("containerPort", port.containerPort())
                    .put("hostPort", port.hostPort())
                    .put("hostIp", port.hostIp());
        }
        json.set("addresses", Json.array(addresses));
        pause.ifPresent(mark -> json.put("pausePid", mark.pid()).put("pauseStart", mark.startTicks()));
        json.put("privileged", privileged);
        json.put("createdAt", createdAt.toString());
        json.set("labels", Json.map(labels));
        return json;
    }

    static SandboxRecord fromJson(JsonNode json) {
        List<PortMapping> ports = new ArrayList<>();
        for (JsonNode port : json.path("ports")) {
            ports.add(new PortMapping(
                    Protocol.valueOf(port.get("protocol").asText()),
                    port.get("containerPort").asInt(),
                    port.get("hostPort").asInt(),
                    port.get("hostIp").asText()));
        }
        return new SandboxRecord(
                json.get("id").asText(),
                podFromJson(json.get("pod")),
                Phase.valueOf(json.get("phase").asText()),
                json.get("boot").asText(),
                json.get("hostname").asText(),
                Path.of(json.get("logDirectory").asText()),
                new Namespaces(
                        json.get("hostNetwork").asBoolean(),
                        json.get("hostPid").asBoolean(),
                        json.get("hostIpc").asBoolean(),
                        json.get("shareProcesses").asBoolean(),
                        json.has("firstId")
                                ? Optional.of(new IdRange(
                                        json.get("firstId").asLong(),
                                        json.get("ids").asLong()))
                                : Optional.empty()),
                json.get("cgroup").asText(),
                ports,
                Json.strings(json.get("addresses")),
                json.has("pausePid")
                        ? Optional.of(new ProcessMark(
                                json.get("pausePid").asLong(),
                                json.get("pauseStart").asLong()))
                        : Optional.empty(),
                json.get("privileged").asBoolean(),
                Instant.parse(json.get("createdAt").asText()),
                Json.stringMap(json.get("labels")));
    }

    static ObjectNode podJson(PodIdentity pod) {
        return Json.object()
                .put("namespace", pod.namespace())
                .put("name", pod.name())
                .put("uid", pod.uid())
                .put("attempt", pod.attempt());
    }

    static PodIdentity podFromJson(JsonNode json) {
        return new PodIdentity(
                json.get("namespace").asText(),
                json.get("name").asText(),
                json.get("uid").asText(),
                json.get("attempt").asInt());
    }
}
