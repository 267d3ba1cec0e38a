package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events of the old and the new style, through both of their groups. */
class EventRulesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String NEW_STYLE = "'eventTime':'2026-01-01T00:00:00.000001Z','reportingController':'a.b/c',"
            + "'reportingInstance':'i','action':'A','reason':'R','type':'Normal'";

    private TestClient admin;
    private String namespace;
    private String core;
    private String own;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
        core = "/api/v1/namespaces/" + namespace + "/events";
        own = "/apis/events.k8s.io/v1/namespaces/" + namespace + "/events";
    }

    private String about(String field) {
        return "'" + field + "':{'kind':'Pod','name':'p','namespace':'" + namespace + "'}";
    }

    @Test
    void anEventIsInTheNamespaceOfWhatItIsAbout() {
        String elsewhere = "{'metadata':{'name':'e'},'involvedObject':{'kind':'Node','name':'n'%s},'reason':'R'}";
        assertThat(admin.post(core, elsewhere.formatted("")).causes())
                .containsExactly("involvedObject.namespace: Invalid value: \"\": does not match event.namespace");
        assertThat(admin.post(core, elsewhere.formatted(",'namespace':'other'")).causes())
                .containsExactly("involvedObject.namespace: Invalid value: \"other\": does not match event.namespace");
        admin.create(core, elsewhere.formatted(",'namespace':'" + namespace + "'"));
        admin.create("/api/v1/namespaces/default/events", elsewhere.formatted(""));
    }

    @Test
    void theOldStyleMayBeCalledAnything() {
        admin.create(core, "{'metadata':{'name':'Pod_p.1'}," + about("involvedObject") + "}");
        assertThat(admin.post(own, "{'metadata':{'name':'Pod_p.2'}," + NEW_STYLE + "," + about("regarding") + "}")
                        .causes())
                .singleElement()
                .asString()
                .startsWith("metadata.name: Invalid value: \"Pod_p.2\": a lowercase RFC 1123 subdomain");
    }

    @Test
    void theNewStyleSaysWhoReportsWhat() {
        String bare = "{'metadata':{'name':'e'},'eventTime':'2026-01-01T00:00:00.000001Z',";
        assertThat(admin.post(core, bare + about("involvedObject") + "}").causes())
                .containsExactly(
                        "reportingComponent: Required value",
                        "reportingComponent: Invalid value: \"\": name part must be non-empty",
                        "reportingInstance: Required value",
                        "action: Required value",
                        "reason: Required value");
        assertThat(admin.post(own, bare + about("regarding") + ",'type':'Normal'}")
                        .causes())
                .contains("reportingController: Required value");
        String wordy = NEW_STYLE.replace("'A'", "'" + "a".repeat(129) + "'") + ",'note':'" + "n".repeat(1025) + "'";
        assertThat(admin.post(own, "{'metadata':{'name':'e'}," + wordy + "," + about("regarding") + "}")
                        .causes())
                .containsExactly(
                        "action: Invalid value: \"\": can have at most 128 characters",
                        "message: Invalid value: \"\": can have at most 1024 characters");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "'type':'Odd' | type: Invalid value: \"\": has invalid value: Odd",
                "'deprecatedCount':1 | count: Invalid value: \"\": needs to be unset",
                "'deprecatedSource':{'component':'c'} | source: Invalid value: \"\": needs to be unset",
                "'deprecatedFirstTimestamp':'2026-01-01T00:00:00Z' | firstTimestamp: Invalid value: \"\": needs to be unset",
                "'deprecatedLastTimestamp':'2026-01-01T00:00:00Z' | lastTimestamp: Invalid value: \"\": needs to be unset",
                "'series':{'count':1,'lastObservedTime':'2026-01-01T00:00:00.000001Z'} | series.count: Invalid value: \"\": should be at least 2",
                "'series':{'count':2} | series.lastObservedTime: Required value",
            })
    void throughItsOwnGroupItIsOfTheNewStyle(String field, String cause) {
        String event = "{'metadata':{'name':'e'}," + NEW_STYLE + "," + about("regarding") + "," + field + "}";
        assertThat(admin.post(own, event).causes()).containsExactly(cause);
    }

    @Test
    void throughItsOwnGroupOnlyItsSeriesChanges() {
        assertThat(admin.post(own, "{'metadata':{'name':'old'},'type':'Normal'," + about("regarding") + "}")
                        .causes())
                .containsExactly("eventTime: Required value");
        admin.create(own, "{'metadata':{'name':'e'}," + NEW_STYLE + "," + about("regarding") + "}");
        String change =
                "{'note':'other','action':'B','reportingController':'d','eventTime':'2026-01-01T00:00:00.000002Z'}";
        assertThat(admin.patch(own + "/e", TestClient.MERGE_PATCH, change).causes())
                .containsExactly(
                        "message: Invalid value: \"other\": field is immutable",
                        "eventTime: Invalid value: \"2026-01-01T00:00:00.000002Z\": field is immutable",
                        "action: Invalid value: \"B\": field is immutable",
                        "reportingController: Invalid value: \"d\": field is immutable");
        assertThat(admin.patch(own + "/e", TestClient.MERGE_PATCH, "{'series':{'count':1}}")
                        .causes())
                .containsExactly(
                        "series.count: Invalid value: \"\": should be at least 2",
                        "series.lastObservedTime: Required value");
        String series = "{'series':{'count':2,'lastObservedTime':'2026-01-01T00:00:01.000000Z'}}";
        admin.patch(own + "/e", TestClient.MERGE_PATCH, series).is(200);
        admin.patch(core + "/e", TestClient.MERGE_PATCH, "{'message':'through the old one everything'}")
                .is(200);
    }
}
