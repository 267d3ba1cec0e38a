package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.definition;
import static io.argosy.server.crd.DefinedResources.establish;
import static io.argosy.server.crd.DefinedResources.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects of custom resources against their schema: what is refused and how, what is taken out, what is filled in. */
class SchemaValidationTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static String crons;

    @BeforeAll
    static void define() {
        establish(SERVER.admin(), definition("crons", "Cron", spec("""
                {"replicas":{"type":"integer","minimum":1,"maximum":10},
                 "half":{"type":"number","multipleOf":0.5,"exclusiveMinimum":true,"minimum":0},
                 "image":{"type":"string","pattern":"^[a-z]+$","maxLength":8,"minLength":2},
                 "color":{"type":"string","enum":["red","blue"]},
                 "flag":{"type":"boolean"},
                 "maybe":{"type":"string","nullable":true},
                 "when":{"type":"string","format":"date-time"},
                 "address":{"type":"string","format":"ipv4"},
                 "port":{"x-kubernetes-int-or-string":true},
                 "tags":{"type":"array","maxItems":2,"minItems":1,"items":{"type":"string"}},
                 "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
                 "rows":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
                         "items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"n":{"type":"integer"}}}},
                 "map":{"type":"object","additionalProperties":{"type":"integer"},"maxProperties":2},
                 "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"string"}}},
                 "pod":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
                 "with":{"type":"object","default":{},"properties":{"n":{"type":"integer","default":5}}},
                 "one":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},
                        "oneOf":[{"required":["x"]},{"required":["y"]}]},
                 "need":{"type":"object","required":["it"],"properties":{"it":{"type":"string"}}}}"""), "").replace('\'', '"'));
        crons = "/apis/example.com/v1/namespaces/" + SERVER.namespace() + "/crons";
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'replicas':'three' | spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"
            'replicas':1.5 | spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"
            'replicas':0 | spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1
            'replicas':11 | spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10
            'replicas':null | spec.replicas: Invalid value: "null": spec.replicas in body must be of type integer: "null"
            'half':0 | spec.half: Invalid value: 0: spec.half in body should be greater than 0
            'half':0.7 | spec.half: Invalid value: 0.7: spec.half in body should be a multiple of 0.5
            'image':'UP' | spec.image: Invalid value: "UP": spec.image in body should match '^[a-z]+$'
            'image':'muchtoolong' | spec.image: Too long: may not be more than 8 bytes
            'image':'x' | spec.image: Invalid value: "x": spec.image in body should be at least 2 chars long
            'color':'green' | spec.color: Unsupported value: "green": supported values: "red", "blue"
            'flag':'true' | spec.flag: Invalid value: "string": spec.flag in body must be of type boolean: "string"
            'when':'noon' | spec.when: Invalid value: "noon": spec.when in body must be of type date-time: "noon"
            'address':'1.2.3.400' | spec.address: Invalid value: "1.2.3.400": spec.address in body must be of type ipv4: "1.2.3.400"
            'port':1.5 | spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"
            'tags':['a','b','c'] | spec.tags: Too many: 3: must have at most 2 items
            'tags':[] | spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items
            'tags':[1] | spec.tags[0]: Invalid value: "integer": spec.tags[0] in body must be of type string: "integer"
            'tags':'a' | spec.tags: Invalid value: "string": spec.tags in body must be of type array: "string"
            'set':['a','b','a'] | spec.set[2]: Duplicate value: "a"
            'rows':[{'name':'a'},{'name':'a','n':1}] | spec.rows[1]: Duplicate value: {"name":"a"}
            'rows':[{'n':1}] | spec.rows[0].name: Required value
            'map':{'a':'x'} | spec.map.a: Invalid value: "string": spec.map.a in body must be of type integer: "string"
            'map':{'a':1,'b':2,'c':3} | spec.map: Too many: 3: must have at most 2 items
            'need':{} | spec.need.it: Required value
            'pod':{'kind':'Pod'} | spec.pod.apiVersion: Required value
            'pod':{'apiVersion':'','kind':'Pod'} | spec.pod.apiVersion: Invalid value: "": must not be empty
            'pod':{'apiVersion':'a/b/c','kind':'Pod'} | spec.pod.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c
            'pod':{'apiVersion':'v1','kind':5} | spec.pod.kind: Invalid value: 5: must be a string
            'pod':{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a/b'}} | spec.pod.metadata.name: Invalid value: "a/b": may not contain '/'
            'pod':{'apiVersion':'v1','kind':'Pod','metadata':{'labels':{'a b':'c'}}} | spec.pod.metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
            'one':{'x':'1','y':'2'} | <nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives
            """)
    void whatDoesNotFitIsRefused(String field, String error) {
        Reply refused = SERVER.admin().post(crons, "{'metadata':{'name':'bad'},'spec':{" + field + "}}");
        assertThat(refused.is(422).message()).isEqualTo("Cron.example.com \"bad\" is invalid: " + error);
        assertThat(refused.reason()).isEqualTo("Invalid");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'replicas':3 | 'replicas':3
            'maybe':null | 'maybe':null
            'port':80 | 'port':80
            'port':'http' | 'port':'http'
            'unknown':1 |
            'free':{'known':'a','any':{'thing':[1]}} | 'free':{'known':'a','any':{'thing':[1]}}
            'need':{'it':'a','more':1} | 'need':{'it':'a'}
            'with':{'n':null,'m':1} | 'with':{'n':5}
            'pod':{'apiVersion':'v1','kind':'Pod','metadata':{'name':'x','odd':1},'spec':{'a':1}} | 'pod':{'apiVersion':'v1','kind':'Pod','metadata':{'name':'x'},'spec':{'a':1}}
            """)
    void whatIsUnknownGoesAndWhatIsAbsentIsFilled(String field, String kept) {
        String with = field.startsWith("'with'") ? "" : ",'with':{'n':5}";
        Reply made = SERVER.admin()
                .post(crons, "{'metadata':{'generateName':'c-'},'spec':{" + field + "}}")
                .is(201);
        String expected = kept == null ? with.substring(1) : kept + with;
        assertThat(made.at("/spec").toString().replace('"', '\'')).isEqualTo("{" + expected + "}");
    }

    @Test
    void unknownFieldsAreToldAsTheClientWishes() {
        TestClient admin = SERVER.admin();
        String odd = "{'metadata':{'generateName':'c-','odd':1},'spec':{'extra':1,'rows':[{'name':'a','x':1}]}}";
        Reply strict = admin.post(crons + "?fieldValidation=Strict", odd).is(400);
        assertThat(strict.message())
                .isEqualTo("Cron in version \"v1\" cannot be handled as a Cron: strict decoding error: unknown field"
                        + " \"metadata.odd\", unknown field \"spec.extra\", unknown field \"spec.rows[0].x\"");
        Reply warned = admin.post(crons + "?fieldValidation=Warn", odd).is(201);
        assertThat(warned.headers().allValues("warning")).hasSize(3).anyMatch(w -> w.contains("spec.rows[0].x"));
        assertThat(admin.post(crons + "?fieldValidation=Ignore", odd)
                        .is(201)
                        .headers()
                        .allValues("warning"))
                .isEmpty();
        assertThat(admin.post(crons, "{'metadata':{'name':5}}").is(400).message())
                .contains("cannot be handled as a Cron");
    }

    @Test
    void expressionsAreSparedObjectsTheyWouldStumbleOver() {
        TestClient admin = SERVER.admin();
        establish(
                admin,
                definition(
                        "pairs",
                        "Pair",
                        spec("{'low':{'type':'integer','minimum':0},'high':{'type':'integer'}}")
                                .replace(
                                        "'spec':{'type':'object'",
                                        "'spec':{'type':'object','x-kubernetes-validations':[{'rule':'self.low <"
                                                + " self.high'}]"),
                        ""));
        String pairs = "/apis/example.com/v1/namespaces/" + SERVER.namespace() + "/pairs";
        assertThat(admin.post(pairs, "{'metadata':{'name':'p'},'spec':{'low':-1,'high':-2}}")
                        .is(422)
                        .message())
                .contains("should be greater than or equal to 0")
                .contains("failed rule: self.low < self.high");
        assertThat(admin.post(pairs, "{'metadata':{'name':'p'},'spec':{'low':'a','high':-2}}")
                        .is(422)
                        .message())
                .contains("must be of type integer")
                .contains("<nil>: Invalid value: null: some validation rules were not checked because the object was"
                        + " invalid; correct the existing errors to complete validation");
    }

    @Test
    void whatIsThereTwiceAlreadyMayStaySo() {
        TestClient admin = SERVER.admin();
        establish(
                admin,
                definition(
                        "bags",
                        "Bag",
                        spec("{'l':{'type':'array','items':{'type':'string','maxLength':9}},'n':{'type':'integer'}}"),
                        ""));
        String bags = "/apis/example.com/v1/namespaces/" + SERVER.namespace() + "/bags";
        admin.create(bags, "{'metadata':{'name':'b'},'spec':{'l':['a','a','long']}}");
        String items = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/l/";
        admin.patch(
                        DefinedResources.DEFINITIONS + "/bags.example.com",
                        TestClient.JSON_PATCH,
                        "[{'op':'add','path':'" + items
                                + "x-kubernetes-list-type','value':'set'},{'op':'replace','path':'" + items
                                + "items/maxLength','value':3}]")
                .is(200);
        Reply strict;
        do { // the definition is taken note of right after its write
            strict = admin.post(bags, "{'metadata':{'generateName':'n-'},'spec':{'l':['a','a']}}");
        } while (strict.status() == 201);
        strict.is(422);
        admin.patch(bags + "/b", TestClient.MERGE_PATCH, "{'spec':{'l':['a','a']}}")
                .is(200);
        assertThat(admin.patch(bags + "/b", TestClient.MERGE_PATCH, "{'spec':{'l':['a','long']}}")
                        .is(422)
                        .message())
                .endsWith("spec.l[1]: Too long: may not be more than 3 bytes");
        admin.patch(bags + "/b", TestClient.MERGE_PATCH, "{'spec':{'l':['a']}}").is(200);
        admin.patch(bags + "/b", TestClient.MERGE_PATCH, "{'spec':{'l':['a','a']}}")
                .is(422);
    }

    @Test
    void whatHasNotChangedIsNotDoubtedAgain() {
        TestClient admin = SERVER.admin();
        establish(admin, definition("elders", "Elder", spec("{'a':{'type':'string'},'b':{'type':'string'}}"), ""));
        String elders = "/apis/example.com/v1/namespaces/" + SERVER.namespace() + "/elders";
        admin.create(elders, "{'metadata':{'name':'e'},'spec':{'a':'UPPER','b':'x'}}");
        String definition = DefinedResources.DEFINITIONS + "/elders.example.com";
        admin.patch(
                        definition,
                        TestClient.JSON_PATCH,
                        "[{'op':'add','path':'/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/pattern','value':'^[a-z]+$'}]")
                .is(200);
        Reply strict;
        do { // the definition is taken note of right after its write
            strict = admin.post(elders, "{'metadata':{'generateName':'n-'},'spec':{'a':'UPPER'}}");
        } while (strict.status() == 201);
        strict.is(422);
        admin.patch(elders + "/e", TestClient.MERGE_PATCH, "{'spec':{'b':'y'}}").is(200);
        admin.patch(elders + "/e", TestClient.MERGE_PATCH, "{'spec':{'a':'OTHER'}}")
                .is(422);
    }
}
