package io.argosy.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.ApiTransport.WatchSink;
import io.argosy.cluster.home.HomeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Gets somebody a certificate the way anybody gets one: by a CertificateSigningRequest that is approved and then signed. */
final class UserCertificate {
    private static final GroupVersion CERTIFICATES = new GroupVersion("certificates.k8s.io", "v1");
    private static final String REQUESTS = "certificatesigningrequests";
    private static final String SIGNER = "kubernetes.io/kube-apiserver-client";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ApiTransport transport;
    private final Clock clock;

    UserCertificate(ApiTransport transport, Clock clock) {
        this.transport = transport;
        this.clock = clock;
    }

    String issue(String user, String request, Duration life) {
        ObjectNode created = send(Verb.CREATE, "", "", asked(user, request, life));
        String name = created.at("/metadata/name").asText();
        send(Verb.UPDATE, name, "approval", approved(created));
        CompletableFuture<String> issued = new CompletableFuture<>();
        Clock.Timer limit = clock.schedule(
                PATIENCE,
                () -> issued.completeExceptionally(
                        new HomeException("Nobody signed the request " + name + ": is a controller manager running?")));
        Request watch = request(
                Verb.WATCH,
                "",
                "",
                Map.of("fieldSelector", "metadata.name=" + name, "resourceVersion", "0"),
                new byte[0]);
        try (ApiTransport.Watch following = transport.watch(watch, new Signed(issued))) {
            return issued.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException known ? known : failed;
        } finally {
            limit.cancel();
        }
    }

    private static ObjectNode asked(String user, String request, Duration life) {
        ObjectNode asked =
                Json.object().put("kind", "CertificateSigningRequest").put("apiVersion", CERTIFICATES.toString());
        String plain =
                user.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        asked.putObject("metadata")
                .put("generateName", "user-" + plain.substring(0, Math.min(plain.length(), 40)) + "-");
        ObjectNode spec = asked.putObject("spec")
                .put("signerName", SIGNER)
                .put("expirationSeconds", (int) life.toSeconds())
                .put("request", Base64.getEncoder().encodeToString(request.getBytes(StandardCharsets.US_ASCII)));
        spec.putArray("usages").add("digital signature").add("client auth");
        return asked;
    }

    private static ObjectNode approved(ObjectNode created) {
        ObjectNode approved = created.deepCopy();
        approved.withObject("/status")
                .withArray("conditions")
                .addObject()
                .put("type", "Approved")
                .put("status", "True")
                .put("reason", "ArgosyUserAdd")
                .put("message", "The cluster's administrator asked for it with 'argosy user add'.");
        return approved;
    }

    private ObjectNode send(Verb verb, String name, String subresource, ObjectNode body) {
        return Json.decodeObject(transport
                .send(request(verb, name, subresource, Map.of(), Json.encode(body)))
                .body());
    }

    private static Request request(Verb verb, String name, String subresource, Map<String, String> query, byte[] body) {
        return new Request(verb, CERTIFICATES, REQUESTS, "", name, subresource, query, "application/json", body);
    }

    /** Waits for the certificate, or for the word that there will be none. */
    private record Signed(CompletableFuture<String> issued) implements WatchSink {
        @Override
        public void event(String type, byte[] object, long revision) {
            JsonNode status = Json.decodeObject(object).path("status");
            if (status.has("certificate")) {
                issued.complete(new String(
                        Base64.getDecoder().decode(status.get("certificate").asText()), StandardCharsets.US_ASCII));
            }
            for (JsonNode condition : status.path("conditions")) {
                if (condition.path("type").asText().matches("Denied|Failed")) {
                    issued.completeExceptionally(new HomeException("The request was refused: "
                            + condition.path("message").asText() + "."));
                }
            }
        }

        @Override
        public void closed(RuntimeException cause) {
            issued.completeExceptionally(
                    cause == null ? new HomeException("Argosy stopped before the certificate was signed.") : cause);
        }
    }
}
