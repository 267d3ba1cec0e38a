package io.argosy.server.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableWriterTest {
    private static final byte[] NAMESPACE = Json.encode(
            Objects.object("'kind':'Namespace','apiVersion':'v1','metadata':{'resourceVersion':'7','labels':{'a':'b'}},"
                    + "'status':{'phase':'Active'}"));

    private static TableWriter writer(String resource, String includeObject) {
        return new TableWriter(
                Tables.of(new GroupResource("", resource)), includeObject, "meta.k8s.io/v1", () -> Objects.NOON);
    }

    private static ObjectNode decode(byte[] table) {
        return Json.decodeObject(table);
    }

    @Test
    void aListBecomesATableWithItsMetadata() {
        ObjectNode table = decode(writer("namespaces", "").list(List.of(NAMESPACE, NAMESPACE), "42", "token", 5));
        assertThat(table.path("kind").asText()).isEqualTo("Table");
        assertThat(table.path("apiVersion").asText()).isEqualTo("meta.k8s.io/v1");
        assertThat(table.path("metadata"))
                .isEqualTo(Objects.parse("{'resourceVersion':'42','continue':'token','remainingItemCount':5}"));
        assertThat(table.path("columnDefinitions").findValuesAsText("name")).containsExactly("Name", "Status", "Age");
        assertThat(table.path("rows")).hasSize(2);
        assertThat(table.path("rows").get(0).path("cells").toString()).isEqualTo("[\"x\",\"Active\",\"5m\"]");
    }

    @Test
    void aListWithoutFurtherPagesSaysNothingOfThem() {
        ObjectNode table = decode(writer("namespaces", "").list(List.of(), "42", "", 0));
        assertThat(table.path("metadata")).isEqualTo(Objects.parse("{'resourceVersion':'42'}"));
        assertThat(table.path("rows").isArray()).isTrue();
        assertThat(decode(writer("namespaces", "").list(List.of(), "42", "token", -1))
                        .path("metadata"))
                .isEqualTo(Objects.parse("{'resourceVersion':'42','continue':'token'}"));
    }

    @Test
    void rowsCarryAsMuchOfTheObjectAsAskedFor() {
        ObjectNode metadata = decode(writer("namespaces", "Metadata").one(NAMESPACE));
        ObjectNode partial = (ObjectNode) metadata.path("rows").path(0).path("object");
        assertThat(partial.path("kind").asText()).isEqualTo("PartialObjectMetadata");
        assertThat(partial.path("metadata").path("labels").path("a").asText()).isEqualTo("b");
        assertThat(partial.has("status")).isFalse();

        ObjectNode whole = decode(writer("namespaces", "Object").one(NAMESPACE));
        assertThat(whole.path("rows").path(0).path("object")).isEqualTo(decode(NAMESPACE));

        ObjectNode none = decode(writer("namespaces", "None").one(NAMESPACE));
        assertThat(none.path("rows").path(0).path("object").isNull()).isTrue();
    }

    @Test
    void anUnknownIncludeObjectIsRefused() {
        assertThatThrownBy(() -> writer("namespaces", "Everything")).isInstanceOf(ApiException.class);
    }

    @Test
    void onlyTheFirstEventOfAWatchHasColumns() {
        TableWriter writer = writer("namespaces", "");
        ObjectNode first = decode(writer.event(NAMESPACE, true));
        assertThat(first.path("columnDefinitions")).hasSize(3);
        assertThat(first.path("metadata").path("resourceVersion").asText()).isEqualTo("7");
        ObjectNode second = decode(writer.event(NAMESPACE, false));
        assertThat(second.path("columnDefinitions").isNull()).isTrue();
        assertThat(second.path("rows")).hasSize(1);
    }

    @Test
    void rowsOfEndedPodsSaySo() {
        byte[] pod = Json.encode(Objects.object("'status':{'phase':'Succeeded'}"));
        ObjectNode table = decode(writer("pods", "").one(pod));
        assertThat(table.path("rows")
                        .path(0)
                        .path("conditions")
                        .path(0)
                        .path("type")
                        .asText())
                .isEqualTo("Completed");
    }
}
