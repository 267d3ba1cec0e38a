package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.Cause;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.time.Clock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may not be defined, and in which words it is refused. */
class DefinitionValidationTest {
    private static final String SCHEMA = "spec.versions[0].schema.openAPIV3Schema";

    private static List<String> errors(String definition) {
        ObjectNode tree = Json.decodeObject(definition.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        DefinitionStrategy strategy = new DefinitionStrategy(Clock.system());
        strategy.applyDefaults(tree);
        strategy.prepareForCreate(tree);
        FieldErrors errors = new FieldErrors();
        strategy.validateCreate(tree, errors);
        List<String> lines = new ArrayList<>();
        for (Cause cause : errors.causes()) {
            lines.add(cause.field() + ": " + cause.message());
        }
        return lines;
    }

    private static List<String> schemaErrors(String schema) {
        return errors(DefinedResources.definition("things", "Thing", schema, ""));
    }

    @Test
    void aWebhookThatConvertsMustBeSomewhere() {
        String version = "{'name':'%s','served':true,'storage':%s,'schema':{'openAPIV3Schema':{'type':'object'}}}";
        String definition = "{'metadata':{'name':'things.example.com'},'spec':{'group':'example.com','scope':'Cluster',"
                + "'names':{'plural':'things','singular':'thing','kind':'Thing','listKind':'ThingList'},'versions':[%s],"
                + "'conversion':{'strategy':'Webhook','webhook':{'clientConfig':{'url':'%s'},"
                + "'conversionReviewVersions':['v1']}}}}";
        String versions = version.formatted("v1", true) + "," + version.formatted("v2", false);
        assertThat(errors(definition.formatted(versions, "https://127.0.0.1/convert")))
                .isEmpty();
        assertThat(errors(definition.formatted(versions, "http://127.0.0.1/convert")))
                .containsExactly("spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only"
                        + " allowed URL scheme; desired format: https://host[/path]");
    }

    @Test
    void aGoodDefinitionIsAccepted() {
        assertThat(schemaErrors(DefinedResources.spec(
                        "{'a':{'type':'string','default':'x'},'p':{'x-kubernetes-int-or-string':true,"
                                + "'anyOf':[{'type':'integer'},{'type':'string'}]},'l':{'type':'array','x-kubernetes-list-type':'map',"
                                + "'x-kubernetes-list-map-keys':['k'],'items':{'type':'object','required':['k'],'properties':"
                                + "{'k':{'type':'string'}}}}}")))
                .isEmpty();
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {'type':'object','properties':{'a':{}}} | .properties[a].type: Required value: must not be empty for specified object fields
        {'type':'object','properties':{'a':{'type':'array'}}} | .properties[a].items: Required value: must be specified
        {'type':'object','properties':{'a':{'type':'array','items':{}}}} | .properties[a].items.type: Required value: must not be empty for specified array items
        {'type':'string'} | .type: Invalid value: "string": must be object at the root
        {'type':'object','properties':{'a':{'type':'text'}}} | .properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"
        {'type':'object','properties':{'a':{'type':'null'}}} | .properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative
        {'type':'object','properties':{'a':{'type':'string','pattern':'('}}} | .properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`
        {'type':'object','properties':{'a':{'type':'array','uniqueItems':true,'items':{'type':'string'}}}} | .properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic
        {'type':'object','properties':{'a':{'$ref':'#/x','type':'object'}}} | .properties[a].$ref: Forbidden: $ref is not supported
        {'type':'object','additionalProperties':{'type':'string'}} | .additionalProperties: Forbidden: must not be used at the root
        {'type':'object','properties':{'a':{'type':'string','default':5}}} | .properties[a].default: Invalid value: "integer": default in body must be of type string: "integer"
        {'type':'object','properties':{'a':{'type':'object','properties':{'b':{'type':'string'}},'default':{'c':1}}}} | .properties[a].default: Invalid value: {"c":1}: must not have unknown fields
        {'type':'object','properties':{'metadata':{'type':'object','properties':{'labels':{'type':'object'}}}}} | .properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified
        {'type':'object','properties':{'a':{'type':'object','x-kubernetes-preserve-unknown-fields':false}}} | .properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined
        {'type':'object','properties':{'a':{'type':'array','x-kubernetes-list-type':'bag','items':{'type':'string'}}}} | .properties[a].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"
        {'type':'object','properties':{'a':{'type':'array','x-kubernetes-list-type':'map','items':{'type':'object'}}}} | .properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map
        {'type':'object','properties':{'a':{'type':'string','x-kubernetes-map-type':'atomic'}}} | .properties[a].type: Invalid value: "string": must be object if x-kubernetes-map-type is specified
        {'type':'object','oneOf':[{'properties':{'b':{'minLength':1}}}]} | .properties[b]: Required value: because it is defined in SCHEMA.oneOf[0].properties[b]
        {'type':'object','properties':{'a':{'type':'string','anyOf':[{'type':'string'}]}}} | .properties[a].anyOf[0].type: Forbidden: must be empty to be structural
        {'type':'object','properties':{'a':{'type':'integer','allOf':[{'x-kubernetes-validations':[{'rule':'self > 0'}]}]}}} | .properties[a].allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural
        {'type':'object','properties':{'a':{'type':'integer','default':0,'x-kubernetes-validations':[{'rule':'self > 0'}]}}} | .properties[a].default: Invalid value: 0: failed rule: self > 0
        {'type':'object','properties':{'a':{'type':'object','default':{},'properties':{'n':{'type':'integer','default':3}},'x-kubernetes-validations':[{'rule':'self.n < 3'}]}}} | .properties[a].default: Invalid value: failed rule: self.n < 3
        {'type':'object','properties':{'a':{'type':'integer','default':1,'x-kubernetes-validations':[{'rule':'oldSelf.hasValue()','optionalOldSelf':true}]}}} | .properties[a].default: Invalid value: 1: failed rule: oldSelf.hasValue()
        {'type':'object','properties':{'p':{'type':'object','x-kubernetes-embedded-resource':true,'x-kubernetes-preserve-unknown-fields':true,'default':{'apiVersion':'v1'}}}} | .properties[p].default.kind: Required value
        {'type':'object','properties':{'a':{'type':'integer'}},'x-kubernetes-validations':[{'rule':'true','fieldPath':'.nope'}]} | .x-kubernetes-validations[0].fieldPath: Invalid value: ".nope": must be a valid path
        {'type':'object','properties':{'a':{'type':'integer'}},'x-kubernetes-validations':[{'rule':'true','fieldPath':'a'}]} | .x-kubernetes-validations[0].fieldPath: Invalid value: "a": must be a valid path
        {'type':'object','properties':{'l':{'type':'array','items':{'type':'string'}}},'x-kubernetes-validations':[{'rule':'true','fieldPath':'.l[0]'}]} | .x-kubernetes-validations[0].fieldPath: Invalid value: ".l[0]": must be a valid path
        {'type':'object','nullable':true} | .nullable: Forbidden: nullable cannot be true at the root
        """)
    void schemasAreHeldToTheRules(String schema, String error) {
        assertThat(schemaErrors(schema)).containsExactly(SCHEMA + error.replace("SCHEMA", SCHEMA));
    }

    @ParameterizedTest(name = "{0} -> {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'name':'things.example.com' | 'name':'others.example.com' | metadata.name: Invalid value: "others.example.com": must be spec.names.plural+"."+spec.group
        'scope':'Namespaced' | 'scope':'World' | spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"
        'scope':'Namespaced' | 'scope':'Namespaced','conversion':{'strategy':'None','webhook':{'conversionReviewVersions':['v1']}} | spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook
        'storage':true | 'storage':false | must have exactly one version marked as storage version
        'kind':'Thing' | 'kind':'Thing','listKind':'Thing' | spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same
        'kind':'Thing' | 'kind':'Thing','shortNames':['T'] | spec.names.shortNames[0]: Invalid value: "T"
        'served':true | 'served':true,'selectableFields':[{'jsonPath':'.spec.no'}] | spec.versions[0].selectableFields[0].jsonPath: Invalid value: ".spec.no": is an invalid path: does not refer to a valid field
        'served':true | 'served':true,'subresources':{'scale':{'specReplicasPath':'.status.n','statusReplicasPath':'.status.n'}} | spec.versions[0].subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec
        'served':true | 'served':true,'additionalPrinterColumns':[{'name':'A','type':'text','jsonPath':'.a'}] | spec.versions[0].additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string
        'served':true | 'served':true,'deprecated':true,'deprecationWarning':'ab\\u0007c' | must only contain printable UTF-8 characters; non-printable character found at index 2
        'schema':{'openAPIV3Schema':{ | 'subresources':{'status':{}},'schema':{'openAPIV3Schema':{'maxProperties':9, | fields are allowed at the root of the schema if the status subresource is enabled
        'schema':{'openAPIV3Schema':{ | 'subresources':{'status':{}},'schema':{'openAPIV3Schema':{'description':'d','title':'t','x-kubernetes-validations':[{'rule':'true'}], | ~~
        'served':true | 'served':true,'deprecationWarning':'x' | spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions
        """)
    void definitionsAreHeldToTheRules(String part, String instead, String error) {
        String good =
                DefinedResources.definition("things", "Thing", DefinedResources.spec("{'a':{'type':'string'}}"), "");
        List<String> found = errors(good.replace(part, instead));
        if (error.isEmpty()) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).anyMatch(line -> line.contains(error));
        }
    }
}
