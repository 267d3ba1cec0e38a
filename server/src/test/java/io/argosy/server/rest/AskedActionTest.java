package io.argosy.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.selector.FieldSelector.Term;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What those who decide hear of a question about permissions. */
class AskedActionTest {
    private static JsonNode json(String text) throws IOException {
        return Json.decode(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void allThatIsSaidOfASubjectIsHeard() throws IOException {
        Action action = AskedAction.ofDescribed(
                json("{'user':'jane','uid':'u-1','groups':['a','b'],'extra':{'scopes.example.com':['x','y'],'k':[]},"
                        + "'resourceAttributes':{'verb':'get','group':'apps','version':'v1','resource':'deployments',"
                        + "'subresource':'scale','namespace':'n','name':'d'}}"));
        assertThat(action.user())
                .isEqualTo(new User(
                        "jane",
                        List.of("a", "b"),
                        "u-1",
                        Map.of("scopes.example.com", List.of("x", "y"), "k", List.of())));
        assertThat(action)
                .isEqualTo(new Action(
                        action.user(), "get", "apps", "v1", "deployments", "scale", "n", "d", "", action.selector()));
        assertThat(action.selector().isEverything()).isTrue();
    }

    @Test
    void whoAsksAboutHimselfIsHeardAsHeIs() throws IOException {
        User user = new User("jane", List.of("a"), "u-1", Map.of("k", List.of("v")));
        Action action = AskedAction.of(user, json("{'nonResourceAttributes':{'verb':'get','path':'/metrics'}}"));
        assertThat(action).isEqualTo(Action.onPath(user, "get", "/metrics"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'rawSelector':'spec.nodeName=n1'} | spec.nodeName n1 true",
                "{'rawSelector':'nonsense'} | ''",
                "{'requirements':[{'key':'spec.nodeName','operator':'In','values':['n1']}]} | spec.nodeName n1 true",
                "{'requirements':[{'key':'spec.nodeName','operator':'NotIn','values':['n1']}]} | spec.nodeName n1 false",
                "{'requirements':[{'key':'spec.nodeName','operator':'In','values':['n1','n2']}]} | ''",
                "{'requirements':[{'key':'spec.nodeName','operator':'Exists'}]} | ''",
            })
    void fieldSelectorsConfineTheQuestion(String selector, String heard) throws IOException {
        Action action = AskedAction.ofDescribed(json("{'user':'system:node:n1','resourceAttributes':{'verb':'list',"
                + "'resource':'pods','fieldSelector':" + selector + "}}"));
        List<Term> terms = List.of();
        if (!heard.isEmpty()) {
            String[] words = heard.split(" ");
            terms = List.of(new Term(words[0], words[1], Boolean.parseBoolean(words[2])));
        }
        assertThat(action.selector().terms()).isEqualTo(terms);
    }
}
