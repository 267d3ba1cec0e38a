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
                "{'foo':'bar'} | [{'op':'add','path':'','value':{'a':1}}] | {'a':1}",
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
                "{'a':1} | [{'op':'test','path':'/a','value':2}] | testing value /a failed",
                "{'a':1} | [{'op':'test','path':'/b','value':2}] | testing value /b failed",
                "{'a':1} | [{'op':'remove','path':'/b'}] | remove operation does not apply",
                "{'a':1} | [{'op':'remove','path':''}] | remove operation does not apply",
                "{'a':1} | [{'op':'replace','path':'/b','value':2}] | replace operation does not apply",
                "{'a':1} | [{'op':'add','path':'/b/c','value':2}] | add operation does not apply",
                "{'a':1} | [{'op':'add','path':'/b'}] | missing value",
                "{'a':[]} | [{'op':'add','path':'/a/1','value':2}] | invalid index",
                "{'a':[]} | [{'op':'add','path':'/a/-1','value':2}] | invalid index",
                "{'a':[]} | [{'op':'add','path':'/a/x','value':2}] | invalid index",
                "{'a':[1]} | [{'op':'remove','path':'/a/1'}] | invalid index",
                "{'a':1} | [{'op':'move','from':'/b','path':'/c'}] | move operation does not apply",
                "{'a':{'b':1}} | [{'op':'move','from':'/a','path':'/a/b/c'}] | does not apply",
                "{'a':1} | [{'op':'copy','from':'/b','path':'/c'}] | copy operation does not apply",
                "{'a':1} | [{'op':'jump','path':'/a'}] | Unexpected kind: jump",
                "{'a':1} | [{'path':'/a'}] | Unexpected kind",
                "{'a':1} | [{'op':'add','path':'a','value':1}] | invalid path",
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
