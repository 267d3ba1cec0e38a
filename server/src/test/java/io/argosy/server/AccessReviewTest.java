package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Questions about permissions that cannot be answered. */
class AccessReviewTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String GROUP = "/apis/authorization.k8s.io/v1/";

    private static Reply ask(String kind, String content) {
        return SERVER.admin().post(GROUP + kind, "{" + content + "}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        selfsubjectaccessreviews | 'spec':{} | spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified
        selfsubjectaccessreviews | 'spec':{'resourceAttributes':{'verb':'get'},'nonResourceAttributes':{'path':'/'}} | spec.nonResourceAttributes: Invalid value: {"path":"/"}: cannot be specified in combination with resourceAttributes
        selfsubjectaccessreviews | 'metadata':{'name':'n'},'spec':{'nonResourceAttributes':{'path':'/'}} | metadata: Invalid value: {"name":"n"}: must be empty
        selfsubjectaccessreviews | 'spec':{'resourceAttributes':{'labelSelector':{}}} | spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required
        subjectaccessreviews | 'spec':{'nonResourceAttributes':{'path':'/'}} | spec.user: Invalid value: "": at least one of user or group must be specified
        namespaces/default/localsubjectaccessreviews | 'spec':{'user':'u','resourceAttributes':{'namespace':'other'}} | spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace
        namespaces/default/localsubjectaccessreviews | 'spec':{'user':'u','nonResourceAttributes':{'path':'/'}} | spec.nonResourceAttributes: Invalid value: {"path":"/"}: disallowed on this kind of request
        """)
    void aQuestionThatIsNoneIsRefused(String kind, String content, String cause) {
        assertThat(ask(kind, content).is(422).causes()).containsExactly(cause);
    }

    @Test
    void whatClientsSendIsTaken() {
        ask(
                        "selfsubjectaccessreviews",
                        "'metadata':{'creationTimestamp':null},'spec':{'nonResourceAttributes':"
                                + "{'path':'/','verb':'get'}}")
                .is(201);
        ask(
                        "subjectaccessreviews",
                        "'spec':{'groups':['g'],'resourceAttributes':{'verb':'get','resource':'pods',"
                                + "'fieldSelector':{'rawSelector':'a=b'}}}")
                .is(201);
        ask(
                        "namespaces/default/localsubjectaccessreviews",
                        "'metadata':{'namespace':'default'},'spec':{'user':'u',"
                                + "'resourceAttributes':{'namespace':'default','verb':'get','resource':'pods'}}")
                .is(201);
    }

    /** A node may list the pods of itself alone; so the answer depends on the selector that is asked about. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'fieldSelector':{'rawSelector':'spec.nodeName=n1'} | true",
                "'fieldSelector':{'requirements':[{'key':'spec.nodeName','operator':'In','values':['n1']}]} | true",
                "'fieldSelector':{'rawSelector':'spec.nodeName=n2'} | false",
                "'version':'v1' | false",
            })
    void selectorsReachThoseWhoDecide(String selector, boolean allowed) {
        Reply answer = ask(
                "subjectaccessreviews",
                "'spec':{'user':'system:node:n1','groups':['system:nodes'],'uid':'u','extra':{'k':['v']},"
                        + "'resourceAttributes':{'verb':'list','resource':'pods'," + selector + "}}");
        assertThat(answer.is(201).at("/status/allowed").asBoolean()).isEqualTo(allowed);
    }

    @Test
    void aReviewOfOneselfShowsUidAndExtra() {
        Reply answer = SERVER.admin()
                .post(
                        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                        "{}",
                        "Impersonate-User",
                        "jane",
                        "Impersonate-Uid",
                        "u-1",
                        "Impersonate-Extra-Scopes",
                        "view",
                        "Impersonate-Extra-Scopes",
                        "edit")
                .is(201);
        assertThat(answer.at("/status/userInfo/uid").asText()).isEqualTo("u-1");
        assertThat(answer.at("/status/userInfo/extra").toString()).isEqualTo("{\"scopes\":[\"view\",\"edit\"]}");
    }
}
