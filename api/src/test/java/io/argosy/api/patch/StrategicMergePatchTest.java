package io.argosy.api.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Strategic merge on pods and deployments, where the merge keys are. */
class StrategicMergePatchTest {
    private static final Schema POD = schema("v1", "Pod");

    private static Schema schema(String version, String kind) {
        return Schemas.builtIn().find(GroupVersionKind.of(version, kind)).orElseThrow();
    }

    private static JsonNode json(String text) throws IOException {
        return Json.decode(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode patched(String target, String patch, Schema schema) throws IOException {
        return StrategicMergePatch.apply((ObjectNode) json(target), json(patch), schema);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                // maps merge, null deletes
                "{'metadata':{'labels':{'a':'1','b':'2'}}} | {'metadata':{'labels':{'b':null,'c':'3'}}} | {'metadata':{'labels':{'a':'1','c':'3'}}}",
                "{} | {'metadata':{'labels':{'b':null,'c':'3'}}} | {'metadata':{'labels':{'c':'3'}}}",
                "{'metadata':{'labels':{'a':'1'}}} | {'metadata':{'labels':{'$patch':'replace','c':'3'}}} | {'metadata':{'labels':{'c':'3'}}}",
                "{'metadata':{'labels':{'a':'1'},'name':'n'}} | {'metadata':{'labels':{'$patch':'delete'}}} | {'metadata':{'name':'n'}}",
                // lists with a merge key
                "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b','image':'1'}]}} | {'spec':{'containers':[{'name':'b','image':'2'}]}}"
                        + " | {'spec':{'containers':[{'name':'a','image':'1'},{'name':'b','image':'2'}]}}",
                "{'spec':{'containers':[{'name':'a','image':'1'}]}} | {'spec':{'containers':[{'name':'c','image':'3','command':null}]}}"
                        + " | {'spec':{'containers':[{'name':'c','image':'3'},{'name':'a','image':'1'}]}}",
                "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}} | {'spec':{'containers':[{'name':'c'},{'name':'b'},{'name':'d'}]}}"
                        + " | {'spec':{'containers':[{'name':'c'},{'name':'a'},{'name':'b'},{'name':'d'}]}}",
                "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}} | {'spec':{'containers':[{'name':'a','$patch':'delete'}]}}"
                        + " | {'spec':{'containers':[{'name':'b'}]}}",
                "{'spec':{'containers':[{'name':'a'}]}} | {'spec':{'containers':[{'name':'z','$patch':'delete'}]}} | {'spec':{'containers':[{'name':'a'}]}}",
                "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}} | {'spec':{'containers':[{'$patch':'replace'},{'name':'c'}]}}"
                        + " | {'spec':{'containers':[{'name':'c'}]}}",
                "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'name':'w'}]}]}}"
                        + " | {'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'hostPort':8},{'containerPort':81}]}]}}"
                        + " | {'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'name':'w','hostPort':8},{'containerPort':81}]}]}}",
                "{'spec':{'containers':[{'name':'a','env':[{'name':'X','value':'1'}]}]}}"
                        + " | {'spec':{'containers':[{'name':'a','env':[{'name':'X','value':null,'valueFrom':{'fieldRef':{'fieldPath':'p'}}}]}]}}"
                        + " | {'spec':{'containers':[{'name':'a','env':[{'name':'X','valueFrom':{'fieldRef':{'fieldPath':'p'}}}]}]}}",
                "{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}} | {'spec':{'volumes':[{'name':'v','$retainKeys':['name','secret'],'secret':"
                        + "{'secretName':'s'}}]}} | {'spec':{'volumes':[{'name':'v','secret':{'secretName':'s'}}]}}",
                // lists without one are replaced
                "{'spec':{'containers':[{'name':'a','command':['x','y']}]}} | {'spec':{'containers':[{'name':'a','command':['z']}]}}"
                        + " | {'spec':{'containers':[{'name':'a','command':['z']}]}}",
                "{'spec':{'tolerations':[{'key':'a'}]}} | {'spec':{'tolerations':[{'key':'b'}]}} | {'spec':{'tolerations':[{'key':'b'}]}}",
                // lists of plain values
                "{'metadata':{'finalizers':['a','b']}} | {'metadata':{'finalizers':['b','c']}} | {'metadata':{'finalizers':['a','b','c']}}",
                "{'metadata':{'finalizers':['a','b']}} | {'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}} | {'metadata':{'finalizers':['b']}}",
                "{'metadata':{'finalizers':['a','b']}} | {'metadata':{'$deleteFromPrimitiveList/finalizers':['a'],'$setElementOrder/finalizers':"
                        + "['c','b'],'finalizers':['c']}} | {'metadata':{'finalizers':['c','b']}}",
                // order
                "{'spec':{'containers':[{'name':'a'},{'name':'b'},{'name':'c'}]}} | {'spec':{'$setElementOrder/containers':[{'name':'c'},"
                        + "{'name':'a'}]}} | {'spec':{'containers':[{'name':'b'},{'name':'c'},{'name':'a'}]}}",
                "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}} | {'spec':{'$setElementOrder/containers':[{'name':'n'},{'name':'a'},"
                        + "{'name':'b'}],'containers':[{'name':'n'}]}} | {'spec':{'containers':[{'name':'n'},{'name':'a'},{'name':'b'}]}}",
                "{'spec':{}} | {'spec':{'$setElementOrder/containers':[{'name':'a'}]}} | {'spec':{}}",
                // a whole field away
                "{'spec':{'containers':[{'name':'a'}],'hostname':'h'}} | {'spec':{'hostname':null}} | {'spec':{'containers':[{'name':'a'}]}}",
                "{'spec':{'containers':[{'name':'a'}]}} | {'spec':{'containers':null}} | {'spec':{}}",
            })
    void podsAreMerged(String target, String patch, String expected) throws IOException {
        assertThat(patched(target, patch, POD)).isEqualTo(json(expected));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'spec':{'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':1}}}}"
                        + " | {'spec':{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}} | {'spec':{'strategy':{'type':'Recreate'}}}",
                "{'status':{'conditions':[{'type':'A','status':'True'}]}} | {'status':{'conditions':[{'type':'A','status':'False'},{'type':'B'}]}}"
                        + " | {'status':{'conditions':[{'type':'A','status':'False'},{'type':'B'}]}}",
                "{'spec':{'selector':{'matchLabels':{'a':'b'}}}} | {'spec':{'selector':{'matchLabels':{'c':'d'}}}}"
                        + " | {'spec':{'selector':{'matchLabels':{'a':'b','c':'d'}}}}",
            })
    void deploymentsAreMerged(String target, String patch, String expected) throws IOException {
        assertThat(patched(target, patch, schema("apps/v1", "Deployment"))).isEqualTo(json(expected));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[] | the patch must be an object",
                "{'spec':{'containers':[{'image':'x'}]}} | does not contain declared merge key: name",
                "{'spec':{'containers':['x']}} | does not contain declared merge key: name",
                "{'spec':{'$patch':'melt'}} | unknown patch type: melt",
                "{'spec':{'volumes':[{'name':'v','$retainKeys':['name'],'emptyDir':{}}]}} | $retainKeys",
            })
    void whatCannotBeMergedIsRefused(String patch, String message) {
        assertThatThrownBy(() -> patched("{'spec':{'containers':[{'name':'a'}],'volumes':[{'name':'v'}]}}", patch, POD))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining(message);
    }
}
