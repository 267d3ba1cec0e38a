package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.selector.FieldSelector;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a question about permissions is about, in the words of those who decide. */
final class AskedAction {
    private AskedAction() {}

    /** Of the one who asks. */
    static Action of(User user, JsonNode spec) {
        if (spec.has("nonResourceAttributes")) {
            JsonNode asked = spec.get("nonResourceAttributes");
            return Action.onPath(
                    user, asked.path("verb").asText(), asked.path("path").asText());
        }
        JsonNode asked = spec.path("resourceAttributes");
        return new Action(
                user,
                asked.path("verb").asText(),
                asked.path("group").asText(),
                asked.path("version").asText(),
                asked.path("resource").asText(),
                asked.path("subresource").asText(),
                asked.path("namespace").asText(),
                asked.path("name").asText(),
                "",
                selector(asked.path("fieldSelector")));
    }

    /** Of the one who is described: all of it counts, since webhooks and rules yet to come may look at any of it. */
    static Action ofDescribed(JsonNode spec) {
        Map<String, List<String>> extra = new HashMap<>();
        spec.path("extra").properties().forEach(entry -> extra.put(entry.getKey(), texts(entry.getValue())));
        User user = new User(
                spec.path("user").asText(),
                texts(spec.path("groups")),
                spec.path("uid").asText(""),
                extra);
        return of(user, spec);
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(one -> texts.add(one.asText()));
        return texts;
    }

    /** What cannot be understood confines nothing: the question is then a broader one. */
    private static FieldSelector selector(JsonNode selector) {
        List<FieldSelector.Term> terms = new ArrayList<>();
        for (JsonNode requirement : selector.path("requirements")) {
            String operator = requirement.path("operator").asText();
            JsonNode values = requirement.path("values");
            if (values.size() == 1 && (operator.equals("In") || operator.equals("NotIn"))) {
                terms.add(new FieldSelector.Term(
                        requirement.path("key").asText(), values.get(0).asText(), operator.equals("In")));
            }
        }
        return selector.path("requirements").isEmpty()
                ? ResourceRequest.selector(selector.path("rawSelector").asText(""))
                : new FieldSelector(terms);
    }
}
