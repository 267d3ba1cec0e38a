package io.argosy.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables as clients get them: of every kind, and of one object in each of its versions. */
class ServedTablesTest {
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
    }

    /** As {@code kubectl get} prints them, and what {@code -o wide} adds. */
    @ParameterizedTest
    @CsvFileSource(resources = "headings.txt", delimiter = ';')
    void headingsAreThoseThatPeopleKnow(String path, String headings, String wide) {
        Reply table = admin.get(path, "Accept", TABLE).is(200);
        assertThat(headings(table, false)).isEqualTo(headings);
        assertThat(headings(table, true)).isEqualTo(wide == null ? "" : wide);
    }

    private static String headings(Reply table, boolean wide) {
        List<String> names = new ArrayList<>();
        for (JsonNode column : table.at("/columnDefinitions")) {
            if (column.path("priority").asInt() > 0 == wide) {
                names.add(column.path("name").asText().toUpperCase(Locale.ROOT));
            }
        }
        return String.join(", ", names);
    }

    private List<String> cells(String path) {
        List<String> cells = new ArrayList<>();
        admin.get(path, "Accept", TABLE).is(200).at("/rows/0/cells").forEach(cell -> cells.add(cell.asText()));
        return cells;
    }

    /** The first version has a field for one metric only; the others stand in an annotation. */
    @Test
    void anAutoscalerShowsAllItsMetricsInEveryVersion() {
        String path = "/apis/autoscaling/v2/namespaces/" + namespace + "/horizontalpodautoscalers";
        admin.create(
                path,
                "{'metadata':{'name':'a'},'spec':{'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment',"
                        + "'name':'web'},'maxReplicas':3,'metrics':[{'type':'Resource','resource':{'name':'memory',"
                        + "'target':{'type':'Utilization','averageUtilization':70}}},{'type':'Resource','resource':"
                        + "{'name':'cpu','target':{'type':'Utilization','averageUtilization':50}}}]}}");
        assertThat(cells(path + "/a")).contains("memory: <unknown>/70%, cpu: <unknown>/50%");
        assertThat(cells(path.replace("/v2/", "/v1/") + "/a").get(2))
                .contains("memory: <unknown>/70%")
                .contains("cpu: <unknown>/50%");
    }

    @Test
    void anEventIsTheSameRowInBothViews() {
        String core = "/api/v1/namespaces/" + namespace + "/events";
        String own = core.replace("/api/", "/apis/events.k8s.io/");
        admin.create(
                own,
                "{'metadata':{'name':'e'},'eventTime':'2026-01-01T00:00:00.000001Z','reportingController':'c',"
                        + "'reportingInstance':'i','action':'A','reason':'R','type':'Warning','note':' hello ',"
                        + "'series':{'count':4,'lastObservedTime':'2026-01-01T00:00:01.000000Z'},"
                        + "'regarding':{'kind':'Pod','namespace':'" + namespace + "','name':'p','fieldPath':'f'}}");
        Reply seen = admin.get(core + "/e").is(200);
        assertThat(seen.at("/series/count").asInt()).isEqualTo(4);
        assertThat(seen.at("/series/lastObservedTime").asText()).isEqualTo("2026-01-01T00:00:01.000000Z");
        List<String> row = cells(own + "/e");
        assertThat(row.subList(1, 7)).containsExactly("Warning", "R", "pod/p", "f", "c, i", "hello");
        assertThat(row.get(8)).isEqualTo("4");
        assertThat(cells(core + "/e").subList(1, 7)).isEqualTo(row.subList(1, 7));
    }

    @Test
    void componentsAreShownWithTheirHealth() {
        Reply table = admin.get("/api/v1/componentstatuses", "Accept", TABLE).is(200);
        assertThat(table.at("/rows").valueStream().map(row -> row.at("/cells/0").asText()))
                .containsExactly("controller-manager", "etcd-0", "scheduler");
        assertThat(table.at("/rows").valueStream().map(row -> row.at("/cells/1").asText()))
                .containsOnly("Healthy");
        assertThat(table.headers().firstValue("warning"))
                .hasValue("299 - \"v1 ComponentStatus is deprecated in v1.19+\"");
        assertThat(admin.get("/api/v1/componentstatuses/etcd-0")
                        .is(200)
                        .at("/conditions/0/status")
                        .asText())
                .isEqualTo("True");
        admin.get("/api/v1/componentstatuses/etcd-1").is(404);
    }

    static Stream<ResourceType> convertedKinds() {
        return ResourceTypes.builtIn().all().stream().filter(type -> !type.storedAsServed() && type.can("watch"));
    }

    /** A bookmark has nothing but a version, and that has to do for a row. */
    @ParameterizedTest
    @MethodSource("convertedKinds")
    void bookmarksOfOldVersionsAreRowsToo(ResourceType type) {
        String path = "/apis/" + type.groupVersion() + "/" + type.plural()
                + "?watch=true&allowWatchBookmarks=true&labelSelector=never%3Dthere";
        try (Events events = admin.watch(path, "Accept", TABLE)) {
            JsonNode bookmark = events.next();
            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(bookmark.at("/object/rows/0/object/metadata/resourceVersion")
                            .asText())
                    .isNotEmpty();
        }
    }
}
