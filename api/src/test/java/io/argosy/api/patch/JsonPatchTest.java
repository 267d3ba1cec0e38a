package io.argosy.api.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON Patch and merge patch, operation by operation; the first ones are the examples of their RFCs. */
class JsonPatchTest {
    private static JsonNode json(String text) throws IOException {
        return Json.decode(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'foo':'bar'} | [{'op':'add','path':'/baz','value':'qux'}] | {'foo':'bar','baz':'qux'}",
                "{'foo':['bar','baz']} | [{'op':'add','path':'/foo/1','value':'qux'}] | {'foo':['bar','qux','baz']}",
                "{'foo':['bar']} | [{'op':'add','path':'/foo/-','value':['abc']}] | {'foo':['bar',['abc']]}",
                "{'foo':'bar'} | [{'op':'add','path':'/foo','value':null}] | {'foo':null}",
                "{'foo':'bar'} | [{'op':'replace','path':'','value':{'a':1}}] | {'a':1}",
                "{'a':[1,2]} | [{'op':'add','path':'/a/-1','value':3}] | {'a':[1,2,3]}",
                "{'a':[1,2]} | [{'op':'add','path':'/a/-3','value':3}] | {'a':[3,1,2]}",
                "{'a':[]} | [{'op':'add','path':'/a/-1','value':2}] | {'a':[2]}",
                "{'a':[1,2]} | [{'op':'remove','path':'/a/-1'}] | {'a':[1]}",
                "{'a':[1,2]} | [{'op':'replace','path':'/a/-2','value':3}] | {'a':[3,2]}",
                "{'a':[{'b':1},{'b':2}]} | [{'op':'replace','path':'/a/-1/b','value':3}] | {'a':[{'b':1},{'b':3}]}",
                "{'a':[1,2]} | [{'op':'test','path':'/a/-1','value':2}] | {'a':[1,2]}",
                "{'a':[1,2]} | [{'op':'move','from':'/a/-1','path':'/b'}] | {'a':[1],'b':2}",
                "{'a':[1,2]} | [{'op':'copy','from':'/a/-1','path':'/b'}] | {'a':[1,2],'b':2}",
                "{'a':1} | [{'op':'replace','path':'/b','value':2}] | {'a':1,'b':2}",
                "{'a':1} | [{'op':'add','path':'/b'}] | {'a':1,'b':null}",
                "{'a':1} | [{'op':'copy','from':'/b','path':'/c'}] | {'a':1,'c':null}",
                "{'a':1} | [{'op':'add','path':'x/b','value':1}] | {'a':1,'b':1}",
                "{'baz':'qux','foo':'bar'} | [{'op':'remove','path':'/baz'}] | {'foo':'bar'}",
                "{'foo':['bar','qux','baz']} | [{'op':'remove','path':'/foo/1'}] | {'foo':['bar','baz']}",
                "{'baz':'qux','foo':'bar'} | [{'op':'replace','path':'/baz','value':'boo'}] | {'baz':'boo','foo':'bar'}",
                "{'a':[1,2]} | [{'op':'replace','path':'/a/0','value':9}] | {'a':[9,2]}",
                "{'foo':{'bar':'baz','waldo':'fred'},'qux':{'corge':'grault'}} | [{'op':'move','from':'/foo/waldo','path':'/qux/thud'}]"
                        + " | {'foo':{'bar':'baz'},'qux':{'corge':'grault','thud':'fred'}}",
                "{'foo':['all','grass','cows','eat']} | [{'op':'move','from':'/foo/1','path':'/foo/3'}] | {'foo':['all','cows','eat','grass']}",
                "{'a':{'b':1}} | [{'op':'copy','from':'/a','path':'/c'},{'op':'replace','path':'/c/b','value':2}] | {'a':{'b':1},'c':{'b':2}}",
                "{'a':1} | [{'op':'test','path':'/a','value':1},{'op':'remove','path':'/a'}] | {}",
                "{'a':{'x':[1]}} | [{'op':'test','path':'/a','value':{'x':[1]}}] | {'a':{'x':[1]}}",
                "{'a':1} | [{'op':'test','path':'/b','value':null}] | {'a':1}",
                "{'a/b':1,'m~0n':2} | [{'op':'remove','path':'/a~1b'}] | {'m~0n':2}",
                "{'m~n':2,'a':1} | [{'op':'replace','path':'/m~0n','value':3}] | {'m~n':3,'a':1}",
                "{} | [] | {}",
            })
    void operationsApplyInOrder(String target, String patch, String expected) throws IOException {
        assertThat(JsonPatch.apply(json(target), json(patch))).isEqualTo(json(expected));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'a':1} | [{'op':'test','path':'/a','value':2}] | testing value /a failed: test failed",
                "{'a':1} | [{'op':'test','path':'/b','value':2}] | testing value /b failed: test failed",
                "{'a':1} | [{'op':'test','path':'/b/c','value':2}] | test operation does not apply: is missing path: /b/c: missing value",
                "{'a':1} | [{'op':'remove','path':'/b'}] | error in remove for path: '/b': Unable to remove nonexistent key: b: missing value",
                "{'a':1} | [{'op':'remove','path':''}] | remove operation does not apply: doc is missing path: \"\": missing value",
                "{'a':1} | [{'op':'add','path':'','value':{}}] | add operation does not apply: doc is missing path: \"\": missing value",
                "{'a':1} | [{'op':'add','path':'/b/c','value':2}] | add operation does not apply: doc is missing path: \"/b/c\": missing value",
                "{'a':1} | [{'op':'add','path':'/a/c','value':2}] | add operation does not apply: doc is missing path: \"/a/c\": missing value",
                "{'a':1} | [{'op':'add','value':2}] | add operation failed to decode path: missing value",
                "{'a':1} | [{'op':'add','path':2}] | cannot unmarshal number into Go struct field jsonPatchOp.path of type string",
                "{'a':1} | [7] | cannot unmarshal number into Go value of type handlers.jsonPatchOp",
                "{'a':[]} | [{'op':'add','path':'/a/1','value':2}] | error in add for path: '/a/1': Unable to access invalid index: 1: invalid index referenced",
                "{'a':[]} | [{'op':'add','path':'/a/-2','value':2}] | Unable to access invalid index: -2: invalid index referenced",
                "{'a':[]} | [{'op':'add','path':'/a/x','value':2}]"
                        + " | value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
                "{'a':[1]} | [{'op':'remove','path':'/a/1'}] | error in remove for path: '/a/1': Unable to access invalid index: 1",
                "{'a':[1]} | [{'op':'remove','path':'/a/-2'}] | error in remove for path: '/a/-2': Unable to access invalid index: -2",
                "{'a':[1]} | [{'op':'replace','path':'/a/-2','value':1}] | replace operation does not apply: doc is missing key: /a/-2: missing value",
                "{'a':1} | [{'op':'replace','path':'','value':1}] | replace operation value must be object or array",
                "{'a':1} | [{'op':'move','from':'/b','path':'/c'}] | error in move for path: 'b': Unable to remove nonexistent key: b",
                "{'a':{'b':1}} | [{'op':'move','from':'/a','path':'/a/b/c'}] | doc is missing destination path: /a/b/c: missing value",
                "{'a':1} | [{'op':'copy','from':'/b/c','path':'/c'}] | copy operation does not apply: doc is missing from path: /b/c",
                "{'a':1} | [{'op':'jump','path':'/a'}] | Unexpected kind: jump",
                "{'a':1} | [{'path':'/a'}] | Unexpected kind: unknown",
                "{'a':1} | [{'op':'add','path':'a','value':1}] | add operation does not apply: doc is missing path: \"a\": missing value",
            })
    void whatDoesNotApplyIsRefused(String target, String patch, String message) throws IOException {
        JsonNode tree = json(target);
        JsonNode operations = json(patch);
        assertThatThrownBy(() -> JsonPatch.apply(tree, operations))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'a':'b'} | {'a':'c'} | {'a':'c'}",
                "{'a':'b'} | {'b':'c'} | {'a':'b','b':'c'}",
                "{'a':'b'} | {'a':null} | {}",
                "{'a':'b','b':'c'} | {'a':null} | {'b':'c'}",
                "{'a':['b']} | {'a':'c'} | {'a':'c'}",
                "{'a':'c'} | {'a':['b']} | {'a':['b']}",
                "{'a':{'b':'c'}} | {'a':{'b':'d','c':null}} | {'a':{'b':'d'}}",
                "{'a':[{'b':'c'}]} | {'a':[1]} | {'a':[1]}",
                "['a','b'] | ['c','d'] | ['c','d']",
                "{'a':'b'} | ['c'] | ['c']",
                "{'a':'foo'} | null | null",
                "{'e':null} | {'a':1} | {'e':null,'a':1}",
                "[1,2] | {'a':'b','c':null} | {'a':'b'}",
                "{} | {'a':{'bb':{'ccc':null}}} | {'a':{'bb':{}}}",
            })
    void mergePatchesDoAsTheirRfcSays(String target, String patch, String expected) throws IOException {
        assertThat(MergePatch.apply(json(target), json(patch))).isEqualTo(json(expected));
    }
}
