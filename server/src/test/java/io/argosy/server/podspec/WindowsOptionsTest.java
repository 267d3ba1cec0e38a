package io.argosy.server.podspec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.FieldErrors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a pod says for Windows nodes. */
class WindowsOptionsTest {
    private static JsonNode json(String text) throws IOException {
        return Json.decode(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> complaints(JsonNode spec) {
        FieldErrors errors = new FieldErrors();
        PodSpecRules.check(spec, "spec", errors);
        return errors.causes().stream()
                .map(cause -> cause.field() + ": " + cause.message())
                .toList();
    }

    private static JsonNode running(String user) throws IOException {
        JsonNode pod = json("{'terminationGracePeriodSeconds':30,'securityContext':{'windowsOptions':{}},"
                + "'containers':[{'name':'c','image':'i'}]}");
        ((ObjectNode) pod.at("/securityContext/windowsOptions")).put("runAsUserName", user);
        return pod;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ContainerUser",
                "NT AUTHORITY\\NETWORK SERVICE",
                "some.domain.example\\user",
                "DOMAIN-1\\first.last",
                "a.b c",
            })
    void usersOfWindowsAreGood(String user) throws IOException {
        assertThat(complaints(running(user))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~ | runAsUserName cannot be an empty string",
                "a\tb | runAsUserName cannot contain control characters",
                "a\\b\\c | runAsUserName cannot contain more than one backslash",
                "\\b | runAsUserName's Domain doesn't match the NetBios nor the DNS format",
                ".a\\b | runAsUserName's Domain doesn't match the NetBios nor the DNS format",
                "much_longer_than_fifteen\\b | runAsUserName's Domain doesn't match the NetBios nor the DNS format",
                "a\\ | runAsUserName's User cannot be empty",
                ". . | runAsUserName's User cannot contain only periods or spaces",
                "a/b | runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]",
                "a@b | runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]",
            })
    void othersAreRefusedInUpstreamsWords(String user, String complaint) throws IOException {
        String why = complaint == null ? "" : complaint;
        assertThat(complaints(running(user)))
                .singleElement()
                .asString()
                .startsWith("spec.securityContext.windowsOptions.runAsUserName: Invalid value: ")
                .contains(why);
    }

    @Test
    void namesAndDomainsHaveTheirLengths() throws IOException {
        assertThat(complaints(running("u".repeat(104)))).isEmpty();
        assertThat(complaints(running("u".repeat(105))))
                .singleElement()
                .asString()
                .endsWith("runAsUserName's User length must not be longer than 104 characters");
        String domain = ("d".repeat(63) + ".").repeat(4) + "d";
        assertThat(complaints(running(domain + "\\u")))
                .singleElement()
                .asString()
                .endsWith("runAsUserName's Domain length must be under 256 characters");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'securityContext':{'windowsOptions':{'gmsaCredentialSpecName':'A_b'}} |"
                        + " spec.securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: \"A_b\": a lowercase RFC 1123",
                "'securityContext':{'windowsOptions':{'gmsaCredentialSpec':''}} |"
                        + " spec.securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: \"\": gmsaCredentialSpec cannot be an empty string",
                "'initContainers':[{'name':'d','image':'i','securityContext':{'windowsOptions':{'runAsUserName':''}}}] |"
                        + " spec.initContainers[0].securityContext.windowsOptions.runAsUserName: Invalid value: \"\": runAsUserName cannot be an empty string",
                "'securityContext':{'windowsOptions':{'hostProcess':true}} | spec.hostNetwork: Invalid value: false:"
                        + " hostNetwork must be true if pod contains any hostProcess containers",
                "'hostNetwork':true,'initContainers':[{'name':'d','image':'i','securityContext':{'windowsOptions':{'hostProcess':true}}}] |"
                        + " spec: Invalid value: \"\": If pod contains any hostProcess containers then all containers must be HostProcess containers",
                "'securityContext':{'windowsOptions':{'hostProcess':false}},'hostNetwork':true,"
                        + "'initContainers':[{'name':'d','image':'i','securityContext':{'windowsOptions':{'hostProcess':true}}}] |"
                        + " spec.initContainers[0].securityContext.windowsOptions.hostProcess: Invalid value: true:"
                        + " pod hostProcess value must be identical if both are specified, was false",
                "'os':{'name':'windows'},'securityContext':{'sysctls':[{'name':'a','value':'1'}]} |"
                        + " spec.securityContext.sysctls: Forbidden: cannot be set for a windows pod",
                "'os':{'name':'windows'},'hostUsers':true | spec.hostUsers: Forbidden: cannot be set for a windows pod",
                "'os':{'name':'windows'},'initContainers':[{'name':'d','image':'i','securityContext':{'privileged':false}}] |"
                        + " spec.initContainers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
                "'os':{'name':'linux'},'initContainers':[{'name':'d','image':'i','securityContext':{'windowsOptions':{}}}] |"
                        + " spec.initContainers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
            })
    void everyPlaceIsChecked(String said, String complaint) throws IOException {
        JsonNode spec =
                json("{'terminationGracePeriodSeconds':30," + said + ",'containers':[{'name':'c','image':'i'}]}");
        assertThat(complaints(spec)).anySatisfy(found -> assertThat(found).startsWith(complaint));
    }

    @Test
    void aPodOfHostProcessesIsGood() throws IOException {
        assertThat(complaints(json("{'terminationGracePeriodSeconds':30,'os':{'name':'windows'},'hostNetwork':true,"
                        + "'securityContext':{'sysctls':[],'windowsOptions':{'hostProcess':true,"
                        + "'runAsUserName':'NT AUTHORITY\\\\SYSTEM'}},'containers':[{'name':'c','image':'i'}]}")))
                .isEmpty();
    }
}
