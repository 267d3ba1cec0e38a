package io.argosy.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

class TablesTest {
    /** The headings of {@code kubectl get}; behind the bar what {@code -o wide} adds. */
    @ParameterizedTest
    @CsvSource({
        "'', nodes, 'NAME STATUS ROLES AGE VERSION | INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION CONTAINER-RUNTIME'",
        "'', namespaces, 'NAME STATUS AGE |'",
        "'', pods, 'NAME READY STATUS RESTARTS AGE | IP NODE NOMINATED_NODE READINESS_GATES'",
        "'', services, 'NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE | SELECTOR'",
        "'', endpoints, 'NAME ENDPOINTS AGE |'",
        "'', events, 'LAST_SEEN TYPE REASON OBJECT MESSAGE | SUBOBJECT SOURCE FIRST_SEEN COUNT NAME'",
        "apps, deployments, 'NAME READY UP-TO-DATE AVAILABLE AGE | CONTAINERS IMAGES SELECTOR'",
        "apps, replicasets, 'NAME DESIRED CURRENT READY AGE | CONTAINERS IMAGES SELECTOR'",
        "apps, statefulsets, 'NAME READY AGE | CONTAINERS IMAGES'",
        "batch, jobs, 'NAME STATUS COMPLETIONS DURATION AGE | CONTAINERS IMAGES SELECTOR'",
        "batch, cronjobs, 'NAME SCHEDULE TIMEZONE SUSPEND ACTIVE LAST_SCHEDULE AGE | CONTAINERS IMAGES SELECTOR'"
    })
    void headingsAreThoseThatPeopleKnow(String group, String resource, String headings) {
        TableDefinition table = Tables.of(new GroupResource(group, resource));
        assertThat((headings(table, false) + " | " + headings(table, true)).strip())
                .isEqualTo(headings);
    }

    private static String headings(TableDefinition table, boolean wide) {
        return table.columns().stream()
                .filter(column -> column.priority() > 0 == wide)
                .map(column -> column.name().toUpperCase(Locale.ROOT).replace(' ', '_'))
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvFileSource(resources = "cells.txt", delimiter = ';', quoteCharacter = '~')
    void cellsAreThoseThatPeopleKnow(String resource, String fields, String cells) {
        int dot = resource.indexOf('.');
        String group = dot < 0 ? "" : resource.substring(dot + 1);
        String plural = dot < 0 ? resource : resource.substring(0, dot);
        assertThat(Objects.show(group, plural, Objects.object(fields))).isEqualTo(cells);
    }

    @Test
    void everyTableHasACellForEachColumnEvenOfAnEmptyObject() {
        ObjectNode empty = Json.object();
        for (ResourceType type : ResourceTypes.builtIn().all()) {
            TableDefinition table = Tables.of(type.storageResource());
            assertThat(table.cells(empty, Objects.NOON)).hasSameSizeAs(table.columns());
            assertThat(table.columns()).extracting(Column::description).allMatch(text -> !text.isEmpty());
        }
    }

    @ParameterizedTest
    @CsvSource({"'', pods", "example.com, widgets"})
    void oneColumnNamesTheObject(String group, String resource) {
        assertThat(Tables.of(new GroupResource(group, resource)).columns())
                .filteredOn(column -> column.format().equals("name"))
                .hasSize(1);
    }
}
