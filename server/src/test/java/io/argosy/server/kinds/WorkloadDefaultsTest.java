package io.argosy.server.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadDefaultsTest {
    @ParameterizedTest(name = "{0} becomes {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | {'type':'RollingUpdate','rollingUpdate':{'partition':0}}",
                "{'rollingUpdate':{}} | {'rollingUpdate':{'partition':0},'type':'RollingUpdate'}",
                "{'type':'RollingUpdate'} | {'type':'RollingUpdate'}",
                "{'type':'RollingUpdate','rollingUpdate':{'partition':2}}"
                        + " | {'type':'RollingUpdate','rollingUpdate':{'partition':2}}",
                "{'type':'OnDelete'} | {'type':'OnDelete'}"
            },
            quoteCharacter = '~')
    void aStatefulSetHasAPartitionWhereItSaysNothingOrRollingUpdateIsThere(String written, String meant) {
        ObjectNode spec = Json.object();
        spec.set("updateStrategy", json(written));
        WorkloadDefaults.statefulSet(spec);
        assertThat(spec.get("updateStrategy")).isEqualTo(json(meant));
    }

    private static ObjectNode json(String written) {
        return Json.decodeObject(written.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}
