package io.argosy.client.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of an object's JSON without making an object of it. */
class ModelsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'metadata':{'name':'a','managedFields':[{'f':{}}],'uid':'u'},'data':{}} | {'metadata':{'name':'a','uid':'u'},'data':{}}",
                "{'metadata':{'managedFields':[],'name':'a'}} | {'metadata':{'name':'a'}}",
                "{'metadata':{'name':'a','managedFields':[{'k:{}':'}]'}]}} | {'metadata':{'name':'a'}}",
                "{'metadata':{'managedFields':[1,[2]]},'x':1} | {'metadata':{},'x':1}",
                "{ 'metadata' : { 'name' : 'a' , 'managedFields' : null , 'b' : 1 } } | { 'metadata' : { 'name' : 'a' , 'b' : 1 } }",
                "{'metadata':{'name':'a'},'managedFields':[]} | {'metadata':{'name':'a'},'managedFields':[]}",
                "{'metadata':{'labels':{'managedFields':'x'}}} | {'metadata':{'labels':{'managedFields':'x'}}}",
                "{'metadata':null} | {'metadata':null}",
                "{} | {}",
            })
    void managedFieldsAreCutOut(String json, String rest) {
        assertThat(new String(Models.withoutManagedFields(bytes(json)), StandardCharsets.UTF_8))
                .isEqualTo(rest.replace('\'', '"'));
    }

    @Test
    void nameAndRevisionAreThoseOfTheObjectItself() {
        byte[] json = bytes("{'kind':'X','metadata':{'labels':{'name':'l','resourceVersion':'7'},'name':'a',"
                + "'managedFields':[{'resourceVersion':'8'}],'resourceVersion':'9'},'resourceVersion':'10'}");
        assertThat(Models.nameOf(json)).isEqualTo("a");
        assertThat(Models.revisionOf(json)).isEqualTo(9);
        assertThat(Models.revisionOf(bytes("{'kind':'Status','metadata':{}}"))).isZero();
        assertThat(Models.revisionOf(bytes("{'kind':'Status'}"))).isZero();
    }

    @Test
    void listsAreReadItemByItem() {
        Models.Listing<ConfigMap> list = Models.decodeList(
                bytes("{'metadata':{'continue':'x','resourceVersion':'12'},'items':[{'metadata':{'name':'a'}},"
                        + " {'metadata':{'name':'b'},'data':{'k':'v'}}] , 'kind':'ConfigMapList'}"),
                ConfigMap.class);
        assertThat(list.resourceVersion()).isEqualTo("12");
        assertThat(list.items()).extracting(map -> map.getMetadata().getName()).containsExactly("a", "b");
        assertThat(list.items().get(1).getData()).containsEntry("k", "v");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "", "{'items':[{'metadata':", "{'items':[{'metadata':[]}]}", "{'items':[1]}"})
    void whatIsNoListIsRefused(String json) {
        assertThatThrownBy(() -> Models.decodeList(bytes(json), ConfigMap.class))
                .isInstanceOf(UncheckedIOException.class);
    }

    private static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }
}
