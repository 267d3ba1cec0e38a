package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.dynamic.Conditions;
import io.argosy.server.dynamic.Criteria;
import io.argosy.server.dynamic.Scopes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One webhook of a configuration; immutable. */
final class Webhook {
    private static final int DEFAULT_SECONDS = 10;

    private final String configuration;
    private final int index;
    private final JsonNode source;
    private final Criteria criteria;
    private final Conditions conditions;
    private final Target target;

    /** Those of a configuration, in order. */
    static List<Webhook> all(CachedObject configuration) {
        List<Webhook> webhooks = new ArrayList<>();
        JsonNode sources = Json.decodeObject(configuration.json()).path("webhooks");
        for (int i = 0; i < sources.size(); i++) {
            webhooks.add(new Webhook(configuration.name(), i, sources.get(i)));
        }
        return webhooks;
    }

    private Webhook(String configuration, int index, JsonNode source) {
        this.configuration = configuration;
        this.index = index;
        this.source = source;
        this.criteria = Criteria.ofWebhook(source);
        this.conditions = new Conditions(source.path("matchConditions"), Scopes::ofWebhooks);
        this.target = Target.of(source.path("clientConfig"));
    }

    String configuration() {
        return configuration;
    }

    String name() {
        return source.path("name").asText();
    }

    /** Tells it from every other webhook, also of the same name. */
    String id() {
        return configuration + "/" + name() + "/" + index;
    }

    Criteria criteria() {
        return criteria;
    }

    Conditions conditions() {
        return conditions;
    }

    Target target() {
        return target;
    }

    Duration timeout() {
        return Duration.ofSeconds(source.path("timeoutSeconds").asInt(DEFAULT_SECONDS));
    }

    /** True where a failed call lets the write pass. */
    boolean failsOpen() {
        return source.path("failurePolicy").asText().equals("Ignore");
    }

    boolean mayBeAskedInVain() {
        String effects = source.path("sideEffects").asText();
        return effects.equals("None") || effects.equals("NoneOnDryRun");
    }

    boolean isReinvoked() {
        return source.path("reinvocationPolicy").asText().equals("IfNeeded");
    }

    /** The first version of its choice that we speak. */
    String reviewVersion() {
        for (JsonNode version : source.path("admissionReviewVersions")) {
            if (version.asText().equals("v1") || version.asText().equals("v1beta1")) {
                return version.asText();
            }
        }
        return "";
    }
}
