package io.argosy.server.podsecurity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each rule says of a pod that breaks it. */
class StandardsTest {
    private static final String GOOD =
            "'allowPrivilegeEscalation':false,'capabilities':{'drop':['ALL']},'runAsNonRoot':true,"
                    + "'seccompProfile':{'type':'RuntimeDefault'}";

    private static String broken(String level, String version, String pod) {
        ObjectNode tree = Json.decodeObject(("{" + pod + "}").replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        Level asked = new Level(
                Level.Kind.of(level).orElseThrow(), Level.version(version).orElseThrow());
        return Violation.details(Standards.broken(new PodView(tree.path("metadata"), tree.path("spec")), asked));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            nullValues = "-",
            emptyValue = "",
            value = {
                "'hostNetwork':true,'hostIPC':true | host namespaces (hostNetwork=true, hostIPC=true)",
                "'containers':[{'name':'a','securityContext':{'privileged':true}}] | privileged (container \"a\" must not set securityContext.privileged=true)",
                "'containers':[{'name':'a','securityContext':{'privileged':true}},{'name':'b','securityContext':{'privileged':true}}] | privileged (containers \"a\", \"b\" must not set securityContext.privileged=true)",
                "'initContainers':[{'name':'a','securityContext':{'capabilities':{'add':['CHOWN','NET_ADMIN','BPF']}}}] | non-default capabilities (container \"a\" must not include \"BPF\", \"NET_ADMIN\" in securityContext.capabilities.add)",
                "'volumes':[{'name':'v','hostPath':{'path':'/'}}] | hostPath volumes (volume \"v\")",
                "'containers':[{'name':'a','ports':[{'hostPort':80},{'hostPort':0},{'hostPort':443}]}] | hostPort (container \"a\" uses hostPorts 443, 80)",
                "'containers':[{'name':'a','livenessProbe':{'httpGet':{'host':'1.2.3.4'}}}] | probe or lifecycle host (container \"a\" uses probe or lifecycle host \"1.2.3.4\")",
                "'securityContext':{'appArmorProfile':{'type':'Unconfined'}} | forbidden AppArmor profile (pod must not set AppArmor profile type to \"Unconfined\")",
                "'securityContext':{'seLinuxOptions':{'type':'spc_t','user':'u'}},'containers':[{'name':'a','securityContext':{'seLinuxOptions':{'role':'r'}}}] | seLinuxOptions (pod and container \"a\" set forbidden securityContext.seLinuxOptions: type \"spc_t\"; user may not be set; role may not be set)",
                "'containers':[{'name':'a','securityContext':{'procMount':'Unmasked'}}] | procMount (container \"a\" must not set securityContext.procMount to \"Unmasked\")",
                "'hostUsers':false,'containers':[{'name':'a','securityContext':{'procMount':'Unmasked'}}] | ''",
                "'securityContext':{'seccompProfile':{'type':'Unconfined'}} | seccompProfile (pod must not set securityContext.seccompProfile.type to \"Unconfined\")",
                "'securityContext':{'sysctls':[{'name':'kernel.msgmax'},{'name':'net.ipv4.tcp_rmem'}]} | forbidden sysctls (kernel.msgmax)",
                "'securityContext':{'windowsOptions':{'hostProcess':true}} | hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
                "'containers':[{'name':'a'}] | ''",
            })
    void theBaseline(String spec, String expected) {
        assertThat(broken("baseline", "latest", "'spec':{" + spec + "}"))
                .isEqualTo(expected.equals("''") ? "" : expected);
        assertThat(broken("privileged", "latest", "'spec':{" + spec + "}")).isEmpty();
    }

    @Test
    void aPlainPodIsToldAllThatTheStrictestLevelAsks() {
        assertThat(broken("restricted", "latest", "'spec':{'containers':[{'name':'nginx'}]}"))
                .isEqualTo(
                        "allowPrivilegeEscalation != false (container \"nginx\" must set securityContext.allowPrivilegeEscalation=false), "
                                + "unrestricted capabilities (container \"nginx\" must set securityContext.capabilities.drop=[\"ALL\"]), "
                                + "runAsNonRoot != true (pod or container \"nginx\" must set securityContext.runAsNonRoot=true), "
                                + "seccompProfile (pod or container \"nginx\" must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'containers':[{'name':'a','securityContext':{GOOD}}] | ''",
                "'securityContext':{'runAsNonRoot':true,'seccompProfile':{'type':'Localhost'}},'containers':[{'name':'a','securityContext':{'allowPrivilegeEscalation':false,'capabilities':{'drop':['ALL'],'add':['NET_BIND_SERVICE']}}}] | ''",
                "'containers':[{'name':'a','securityContext':{GOOD,'runAsUser':0}}] | runAsUser=0 (container \"a\" must not set runAsUser=0)",
                "'hostUsers':false,'containers':[{'name':'a','securityContext':{GOOD,'runAsUser':0}}] | ''",
                "'securityContext':{'runAsNonRoot':false},'containers':[{'name':'a','securityContext':{GOOD}}] | runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)",
                "'volumes':[{'name':'v','hostPath':{'path':'/'}},{'name':'n','nfs':{}},{'name':'e','emptyDir':{}}],'containers':[{'name':'a','securityContext':{GOOD}}] | restricted volume types (volumes \"v\", \"n\" use restricted volume types \"hostPath\", \"nfs\")",
                "'hostUsers':false,'containers':[{'name':'a','securityContext':{GOOD,'procMount':'Unmasked'}}] | procMount (container \"a\" must not set securityContext.procMount to \"Unmasked\")",
                "'os':{'name':'windows'},'containers':[{'name':'a','securityContext':{'runAsNonRoot':true}}] | ''",
            })
    void theStrictestLevel(String spec, String expected) {
        assertThat(broken("restricted", "latest", "'spec':{" + spec.replace("GOOD", GOOD) + "}"))
                .isEqualTo(expected.equals("''") ? "" : expected);
    }

    @Test
    void olderVersionsOfTheRulesKnowLess() {
        String plain = "'spec':{'containers':[{'name':'a'}]}";
        assertThat(broken("restricted", "v1.18", plain)).doesNotContain("seccompProfile", "unrestricted capabilities");
        assertThat(broken("restricted", "v1.19", plain))
                .contains("seccompProfile")
                .doesNotContain("capabilities");
        assertThat(broken("restricted", "v1.22", plain)).contains("unrestricted capabilities");
        assertThat(broken("restricted", "v1.7", plain)).doesNotContain("allowPrivilegeEscalation");
        String reserved = "'spec':{'securityContext':{'sysctls':[{'name':'net.ipv4.ip_local_reserved_ports'}]}}";
        assertThat(broken("baseline", "v1.26", reserved))
                .isEqualTo("forbidden sysctls (net.ipv4.ip_local_reserved_ports)");
        assertThat(broken("baseline", "v1.27", reserved)).isEmpty();
    }

    @Test
    void oldAnnotationsCountToo() {
        assertThat(
                        broken(
                                "baseline",
                                "latest",
                                "'metadata':{'annotations':{'container.apparmor.security.beta.kubernetes.io/a':'unconfined'}},'spec':{}"))
                .startsWith("forbidden AppArmor profile (annotation must not set AppArmor profile type to");
        assertThat(
                        broken(
                                "baseline",
                                "v1.18",
                                "'metadata':{'annotations':{'seccomp.security.alpha.kubernetes.io/pod':'unconfined'}},'spec':{}"))
                .isEqualTo(
                        "seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod=\"unconfined\")");
    }
}
