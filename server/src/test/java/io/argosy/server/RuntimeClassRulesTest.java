package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a RuntimeClass must not say, and what of it never changes. */
class RuntimeClassRulesTest {
    private static final String CLASSES = "/apis/node.k8s.io/v1/runtimeclasses";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final TestClient admin = SERVER.admin();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'handler':'No_Label' | handler: Invalid value: \"No_Label\": a lowercase RFC 1123 label",
                "'handler':'' | handler: Invalid value: \"\": a lowercase RFC 1123 label",
                "'handler':'a','overhead':{'podFixed':{'cpu':'-1'}}"
                        + " | overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0",
                "'handler':'a','scheduling':{'nodeSelector':{'-':'b'}} | scheduling.nodeSelector: Invalid value: \"-\"",
                "'handler':'a','scheduling':{'tolerations':[{'key':'a','effect':'Never'}]}"
                        + " | scheduling.tolerations[0].effect: Unsupported value: \"Never\""
            })
    void aClassFollowsTheRulesOfPods(String fields, String words) {
        assertThat(admin.post(CLASSES, "{'metadata':{'name':'bad'}," + fields + "}")
                        .is(422)
                        .message())
                .contains(words);
    }

    @Test
    void aHandlerNeverChanges() {
        admin.create(CLASSES, "{'metadata':{'name':'light'},'handler':'runc'}");
        assertThat(admin.patch(CLASSES + "/light", TestClient.MERGE_PATCH, "{'handler':'other'}")
                        .is(422)
                        .message())
                .endsWith("handler: Invalid value: \"other\": field is immutable");
    }
}
