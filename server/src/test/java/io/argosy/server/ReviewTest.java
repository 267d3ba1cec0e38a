package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Questions about rights: those that ask nothing, or two things at once, get no answer that could be taken for a no. */
class ReviewTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static String path(String resource) {
        String place = resource.startsWith("local") ? "namespaces/" + SERVER.namespace() + "/" : "";
        return "/apis/authorization.k8s.io/v1/" + place + resource;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "selfsubjectaccessreviews | {} | spec.resourceAttributes: Invalid value: null: exactly one of"
                        + " nonResourceAttributes or resourceAttributes must be specified",
                "selfsubjectaccessreviews | {'resourceAttributes':{},'nonResourceAttributes':{}} |"
                        + " spec.nonResourceAttributes: Invalid value: {}: cannot be specified in combination with"
                        + " resourceAttributes",
                "subjectaccessreviews | {'resourceAttributes':{}} | spec.user: Invalid value: \"\": at least one of"
                        + " user or group must be specified",
                "localsubjectaccessreviews | {'user':'joe','resourceAttributes':{'namespace':'elsewhere'}} |"
                        + " spec.resourceAttributes.namespace: Invalid value: \"elsewhere\": must match"
                        + " metadata.namespace",
                "localsubjectaccessreviews | {'user':'joe','nonResourceAttributes':{}} | spec.nonResourceAttributes:"
                        + " Invalid value: {}: disallowed on this kind of request",
            })
    void whatIsNoQuestionIsRefused(String resource, String spec, String cause) {
        Reply refused = SERVER.admin().post(path(resource), "{'spec':" + spec + "}");
        assertThat(refused.causes()).containsExactly(cause);
    }

    @Test
    void groupsAloneAreEnough() {
        Reply answer = SERVER.admin()
                .post(
                        path("subjectaccessreviews"),
                        "{'spec':{'groups':['system:masters'],'resourceAttributes':{'verb':'get','resource':'pods'}}}");
        assertThat(answer.is(201).at("/status/allowed").asBoolean()).isTrue();
    }
}
