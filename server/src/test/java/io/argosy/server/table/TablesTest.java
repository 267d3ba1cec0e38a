package io.argosy.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

class TablesTest {
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
