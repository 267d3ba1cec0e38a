package io.argosy.server.podspec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.Cause;
import io.argosy.api.status.FieldErrors;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What pods may not say, and what they are told; the rules see what the defaults have filled in. */
class PodSpecRulesTest {
    private static List<String> complaints(String spec) {
        JsonNode tree =
                Json.decodeObject(spec.replace('\'', '"').replace('~', '\'').getBytes(StandardCharsets.UTF_8));
        FieldErrors errors = new FieldErrors();
        PodSpecRules.check(tree, "spec", errors);
        return errors.causes().stream().map(PodSpecRulesTest::shown).toList();
    }

    private static String shown(Cause cause) {
        return cause.field() + ": " + cause.message();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "'name':'Bad_Name' | name: Invalid value: \"Bad_Name\": a lowercase RFC 1123 label must consist of",
                "'image':'' | image: Required value",
                "'imagePullPolicy':'Odd' | imagePullPolicy: Unsupported value: \"Odd\": supported values: \"Always\","
                        + " \"IfNotPresent\", \"Never\"",
                "'terminationMessagePolicy':'Odd' | terminationMessagePolicy: Unsupported value: \"Odd\"",
                "'ports':[{'containerPort':0}] | ports[0].containerPort: Required value",
                "'ports':[{'containerPort':70000}] | ports[0].containerPort: Invalid value: 70000: must be between 1"
                        + " and 65535, inclusive",
                "'ports':[{'containerPort':80,'name':'much-too-long-a-name'}] | ports[0].name: Invalid value:"
                        + " \"much-too-long-a-name\": must be no more than 15 characters",
                "'ports':[{'containerPort':80,'name':'8080'}] | ports[0].name: Invalid value: \"8080\": must contain"
                        + " at least one letter (a-z)",
                "'ports':[{'containerPort':1,'hostPort':9,'protocol':'TCP'},{'containerPort':2,'hostPort':9,'protocol':'TCP'}]"
                        + " | ports[1].hostPort: Duplicate value: \"TCP//9\"",
                "'env':[{'name':'A=B'}] | env[0].name: Invalid value: \"A=B\": a valid environment variable name must"
                        + " consist only of printable ASCII characters other than '='",
                "'env':[{'name':'A','valueFrom':{}}] | env[0].valueFrom: Invalid value: \"\": must specify one of:"
                        + " `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef`"
                        + " or `fileKeyRef`",
                "'env':[{'name':'A','value':'x','valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}}] |"
                        + " env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty",
                "'env':[{'name':'A','valueFrom':{'fieldRef':{'apiVersion':'v1','fieldPath':'spec.unheardOf'}}}] |"
                        + " fieldPath: Invalid value: \"spec.unheardOf\": error converting fieldPath: field label not"
                        + " supported: spec.unheardOf",
                "'env':[{'name':'A','valueFrom':{'fieldRef':{'apiVersion':'v1','fieldPath':'metadata.labels'}}}] |"
                        + " fieldPath: Unsupported value: \"metadata.labels\"",
                "'env':[{'name':'A','valueFrom':{'resourceFieldRef':{'resource':'limits.cpu','divisor':'2'}}}] |"
                        + " divisor: Invalid value: \"limits.cpu\": only divisor's values 1m and 1 are supported with the"
                        + " cpu resource",
                "'env':[{'name':'A','valueFrom':{'configMapKeyRef':{'name':'c','key':'a b'}}}] | key: Invalid value:"
                        + " \"a b\": a valid config key must consist of",
                "'envFrom':[{}] | envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`",
                "'volumeMounts':[{'name':'none','mountPath':'/x'}] | volumeMounts[0].name: Not found: \"none\"",
                "'volumeMounts':[{'name':'v','mountPath':'/x'},{'name':'v','mountPath':'/x'}] |"
                        + " volumeMounts[1].mountPath: Invalid value: \"/x\": must be unique",
                "'volumeMounts':[{'name':'v','mountPath':'/x','subPath':'../up'}] | subPath: Invalid value: \"../up\":"
                        + " must not contain '..'",
                "'volumeMounts':[{'name':'v','mountPath':'/x','subPath':'/abs'}] | subPath: Invalid value: \"/abs\":"
                        + " must be a relative path",
                "'volumeMounts':[{'name':'v','mountPath':'/x','mountPropagation':'Bidirectional'}] | Forbidden:"
                        + " Bidirectional mount propagation is available only to privileged containers",
                "'volumeMounts':[{'name':'v','mountPath':'/x','recursiveReadOnly':'Enabled'}] | Forbidden: may only be"
                        + " specified when readOnly is true",
                "'volumeDevices':[{'name':'v','devicePath':'/dev/x'}] | can only use volume source type of"
                        + " PersistentVolumeClaim or Ephemeral for block mode",
                "'resources':{'requests':{'cpu':'2'},'limits':{'cpu':'1'}} | resources.requests: Invalid value: \"2\":"
                        + " must be less than or equal to cpu limit of 1",
                "'resources':{'requests':{'memory':'-1'}} | resources.requests[memory]: Invalid value: \"-1\": must be"
                        + " greater than or equal to 0",
                "'resources':{'limits':{'pods':'1'}} | resources.limits[pods]: Invalid value: \"pods\": must"
                        + " be a standard resource for containers",
                "'resources':{'limits':{'cpu':'1','hugepages-2Mi':'3Mi'}} | resources.limits[hugepages-2Mi]: Invalid"
                        + " value: \"3Mi\": 3Mi is not positive integer multiple of hugepages-2Mi",
                "'env':[{'name':'A','valueFrom':{'fileKeyRef':{'key':'K','volumeName':'w','path':'f'}}}] |"
                        + " env[0].valueFrom.fileKeyRef.volumeName: Not found: \"w\"",
                "'env':[{'name':'A','valueFrom':{'fileKeyRef':{'key':'K=','volumeName':'v','path':'f'}}}] |"
                        + " env[0].valueFrom.fileKeyRef.key: Invalid value: \"K=\": a valid environment variable name",
                "'restartPolicy':'Always','restartPolicyRules':[{'action':'','exitCodes':{'operator':'In'}}] |"
                        + " restartPolicyRules[0].action: Unsupported value: \"\": supported values: \"Restart\"",
                "'resources':{'limits':{'example.com/gpu':'1500m'}} | must be an integer",
                "'resources':{'requests':{'example.com/gpu':'1'}} | resources.limits: Required value: Limit must be"
                        + " set for non overcommitable resources",
                "'resources':{'limits':{'hugepages-2Mi':'2Mi'}} | resources: Forbidden: HugePages require cpu or"
                        + " memory",
                "'livenessProbe':{'successThreshold':1} | livenessProbe: Required value: must specify a handler type",
                "'livenessProbe':{'successThreshold':2,'exec':{'command':['a']}} | livenessProbe.successThreshold:"
                        + " Invalid value: 2: must be 1",
                "'readinessProbe':{'exec':{'command':['a']},'tcpSocket':{'port':1}} | readinessProbe.tcpSocket:"
                        + " Forbidden: may not specify more than 1 handler type",
                "'readinessProbe':{'exec':{}} | readinessProbe.exec.command: Required value",
                "'readinessProbe':{'httpGet':{'path':'/','port':0,'scheme':'HTTP'}} | readinessProbe.httpGet.port:"
                        + " Invalid value: 0: must be between 1 and 65535, inclusive",
                "'readinessProbe':{'httpGet':{'path':'/','port':'web','scheme':'FTP'}} |"
                        + " readinessProbe.httpGet.scheme: Unsupported value: \"FTP\": supported values: \"HTTP\","
                        + " \"HTTPS\"",
                "'readinessProbe':{'periodSeconds':-1,'exec':{'command':['a']}} | readinessProbe.periodSeconds:"
                        + " Invalid value: -1: must be greater than or equal to 0",
                "'lifecycle':{'preStop':{'sleep':{'seconds':31}}} | lifecycle.preStop.sleep: Invalid value: 31: must"
                        + " be non-negative and less than terminationGracePeriodSeconds (30)",
                "'lifecycle':{'stopSignal':'SIGTERM'} | lifecycle.stopSignal: Forbidden: may not be set for containers"
                        + " with empty `spec.os.name`",
                "'securityContext':{'runAsUser':-1} | securityContext.runAsUser: Invalid value: -1: must be between 0"
                        + " and 2147483647, inclusive",
                "'securityContext':{'privileged':true,'allowPrivilegeEscalation':false} | cannot set"
                        + " `allowPrivilegeEscalation` to false and `privileged` to true",
                "'securityContext':{'seccompProfile':{'type':'Localhost'}} | localhostProfile: Required value: must be"
                        + " set when seccomp type is Localhost",
                "'securityContext':{'procMount':'Unmasked'} | `hostUsers` must be false to use `Unmasked`",
                "'resizePolicy':[{'resourceName':'disk','restartPolicy':'NotRequired'}] |"
                        + " resizePolicy: Unsupported value: \"disk\": supported values: \"cpu\","
                        + " \"memory\"",
                "'restartPolicyRules':[{'action':'Restart','exitCodes':{'operator':'In','values':[1]}}] |"
                        + " restartPolicy: Required value: must specify restartPolicy when restart rules are used",
            })
    void containersAreRefused(String more, String complaint) {
        String container = "{'name':'c','image':'i'}";
        String changed = more.startsWith("'name'")
                ? "{'image':'i'," + more + "}"
                : more.startsWith("'image'") && !more.startsWith("'imageP")
                        ? "{'name':'c'," + more + "}"
                        : container.replace("}", "," + more + "}");
        List<String> found = complaints("{'terminationGracePeriodSeconds':30,'restartPolicy':'Always','volumes':"
                + "[{'name':'v','emptyDir':{}}],'containers':[" + changed + "]}");
        assertThat(found)
                .hasSize(1)
                .first()
                .asString()
                .startsWith("spec.containers[0]")
                .contains(complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "'volumes':[{'name':'v','emptyDir':{},'hostPath':{'path':'/x'}}] | spec.volumes[0].hostPath:"
                        + " Forbidden: may not specify more than 1 volume type",
                "'volumes':[{'name':'v','hostPath':{'path':'/a/../b'}}] | spec.volumes[0].hostPath.path: Invalid"
                        + " value: \"/a/../b\": must not contain '..'",
                "'volumes':[{'name':'v','hostPath':{'path':'/a','type':'Odd'}}] | spec.volumes[0].hostPath.type:"
                        + " Unsupported value: \"Odd\"",
                "'volumes':[{'name':'v','secret':{}}] | spec.volumes[0].secret.secretName: Required value",
                "'volumes':[{'name':'v','configMap':{'name':'c','defaultMode':1000}}] |"
                        + " spec.volumes[0].configMap.defaultMode: Invalid value: 1000: must be a number between 0 and"
                        + " 0777 (octal), both inclusive",
                "'volumes':[{'name':'v','configMap':{'name':'c','items':[{'key':'k','path':'../x'}]}}] |"
                        + " spec.volumes[0].configMap.items[0].path: Invalid value: \"../x\": must not contain '..'",
                "'volumes':[{'name':'v','configMap':{'name':'c','items':[{'key':'k','path':'..data'}]}}] | must not"
                        + " start with '..'",
                "'volumes':[{'name':'v','nfs':{'server':'s','path':'rel'}}] | spec.volumes[0].nfs.path: Invalid value:"
                        + " \"rel\": must be an absolute path",
                "'volumes':[{'name':'v','persistentVolumeClaim':{}}] |"
                        + " spec.volumes[0].persistentVolumeClaim.claimName: Required value",
                "'volumes':[{'name':'v','downwardAPI':{'items':[{'path':'x'}]}}] | Required value: one of fieldRef and"
                        + " resourceFieldRef is required",
                "'volumes':[{'name':'v','projected':{'sources':[{'serviceAccountToken':{'path':'t','expirationSeconds':60}}]}}]"
                        + " | may not specify a duration less than 10 minutes",
                "'volumes':[{'name':'v','projected':{'sources':[{'secret':{'name':'a','items':[{'key':'k','path':'p'}]}},{'secret':{'name':'b','items':[{'key':'k','path':'p'}]}}]}}]"
                        + " | spec.volumes[0].projected: Invalid value: \"p\": conflicting duplicate paths",
                "'volumes':[{'name':'v','ephemeral':{'volumeClaimTemplate':{'spec':{'accessModes':['ReadWriteOnce']}}}}]"
                        + " | spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
                "'volumes':[{'name':'v','ephemeral':{'volumeClaimTemplate':{'metadata':{'name':'n'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1'}}}}}}]"
                        + " | spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set",
                "'volumes':[{'name':'v','rbd':{'image':'i'}}] | spec.volumes[0].rbd.monitors: Required value",
                "'volumes':[{'name':'v'}] | spec.volumes[0]: Required value: must specify a volume type",
                "'nodeSelector':{'a':'not ok'} | spec.nodeSelector: Invalid value: \"not ok\"",
                "'tolerations':[{'key':'','operator':'Equal'}] | operator must be Exists when `key` is empty, which"
                        + " means \"match all values and all keys\"",
                "'tolerations':[{'key':'a','operator':'Exists','value':'b'}] | spec.tolerations[0].operator: Invalid"
                        + " value: \"b\": value must be empty when `operator` is 'Exists'",
                "'tolerations':[{'key':'a','operator':'Exists','effect':'NoSchedule','tolerationSeconds':1}] | effect"
                        + " must be 'NoExecute' when `tolerationSeconds` is set",
                "'tolerations':[{'key':'a','operator':'Exists','effect':'Odd'}] | spec.tolerations[0].effect:"
                        + " Unsupported value: \"Odd\"",
                "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[]}}}"
                        + " | nodeSelectorTerms: Required value: must have at least one node selector term",
                "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'a','operator':'In'}]}]}}}"
                        + " | values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
                "'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':101,'preference':{}}]}}"
                        + " | weight: Invalid value: 101: must be in the range 1-100",
                "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'labelSelector':{}}]}}"
                        + " | topologyKey: Required value: can not be empty",
                "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'z','labelSelector':{'matchExpressions':[{'key':'a','operator':'Odd'}]}}]}}"
                        + " | operator: Invalid value: \"Odd\": not a valid selector operator",
                "'topologySpreadConstraints':[{'maxSkew':0,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'}] |"
                        + " maxSkew: Invalid value: 0: must be greater than 0",
                "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'Odd'}] |"
                        + " whenUnsatisfiable: Unsupported value: \"Odd\": supported values: \"DoNotSchedule\","
                        + " \"ScheduleAnyway\"",
                "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'},{'maxSkew':2,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'}]"
                        + " | Duplicate value: \"{z, DoNotSchedule}\"",
                "'schedulingGates':[{'name':'a'},{'name':'a'}] | spec.schedulingGates[1]: Duplicate value: \"a\"",
                "'dnsPolicy':'None' | spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is"
                        + " None",
                "'dnsConfig':{'nameservers':['1.1.1.1','1.1.1.2','1.1.1.3','1.1.1.4']} | must not have more than 3"
                        + " nameservers",
                "'dnsConfig':{'nameservers':['one']} | spec.dnsConfig.nameservers[0]: Invalid value: \"one\": must be"
                        + " a valid IP address",
                "'dnsConfig':{'searches':['-']} | spec.dnsConfig.searches[0]: Invalid value: \"-\"",
                "'hostAliases':[{'ip':'x','hostnames':['a']}] | spec.hostAliases[0].ip: Invalid value: \"x\": must be"
                        + " a valid IP address",
                "'hostname':'A.B' | spec.hostname: Invalid value: \"A.B\"",
                "'restartPolicy':'Odd' | spec.restartPolicy: Unsupported value: \"Odd\": supported values: \"Always\","
                        + " \"OnFailure\", \"Never\"",
                "'activeDeadlineSeconds':0 | spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and"
                        + " 2147483647, inclusive",
                "'securityContext':{'sysctls':[{'name':'Not A Name','value':'1'}]} | must have at most 253 characters"
                        + " and match regex",
                "'hostNetwork':true,'securityContext':{'sysctls':[{'name':'net.ipv4.tcp_syncookies','value':'1'}]} |"
                        + " may not be specified when 'hostNetwork' is true",
                "'securityContext':{'fsGroupChangePolicy':'Odd'} | spec.securityContext.fsGroupChangePolicy:"
                        + " Unsupported value: \"Odd\"",
                "'hostPID':true,'shareProcessNamespace':true | ShareProcessNamespace and HostPID cannot both be"
                        + " enabled",
                "'hostUsers':false,'hostNetwork':true | spec.hostNetwork: Forbidden: when `hostUsers` is false",
                "'initContainers':[{'name':'c','image':'i'}] | spec.initContainers[0].name: Duplicate value: \"c\"",
                "'initContainers':[{'name':'d','image':'i','livenessProbe':{'exec':{'command':['a']}}}] | Forbidden:"
                        + " may not be set for init containers without restartPolicy=Always",
                "'ephemeralContainers':[{'name':'d','image':'i','targetContainerName':'none'}] |"
                        + " spec.ephemeralContainers[0].targetContainerName: Not found: \"none\"",
                "'readinessGates':[{'conditionType':'a b'}] | spec.readinessGates[0].conditionType: Invalid value: \"a"
                        + " b\"",
                "'resources':{'requests':{'storage':'1'}} | Unsupported value: \"storage\": supported values: \"cpu\","
                        + " \"hugepages-\", \"memory\"",
                "'preemptionPolicy':'Odd' | spec.preemptionPolicy: Unsupported value: \"Odd\"",
                "'os':{'name':'linux'},'securityContext':{'windowsOptions':{}} | spec.securityContext.windowsOptions:"
                        + " Forbidden: windows options cannot be set for a linux pod",
                "'os':{'name':'windows'},'securityContext':{'runAsUser':1} | spec.securityContext.runAsUser:"
                        + " Forbidden: cannot be set for a windows pod",
                "'os':{'name':'windows'},'hostPID':true | spec.hostPID: Forbidden: cannot be set for a windows pod",
                "'os':{'name':'windows'},'resources':{'limits':{'cpu':'1'}} | spec.resources: Forbidden: may not be"
                        + " set for a windows pod",
                "'os':{} | spec.os.name: Required value",
                "'resources':{'claims':[{'name':'c'}]} | spec.resources.claims: Forbidden: claims may not be set for"
                        + " Resources at pod-level",
                "'resources':{'requests':{'cpu':'1'}},'initContainers':[{'name':'i','image':'i','restartPolicy':'Always','resources':{'requests':{'cpu':'2'}}}]"
                        + " | spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to"
                        + " aggregate container requests of 2",
                "'resourceClaims':[{'name':'d'}] | spec.resourceClaims[0]: Invalid value: {\"name\":\"d\"}: must"
                        + " specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
                "'resourceClaims':[{'name':'d','resourceClaimName':'x'},{'name':'d','resourceClaimName':'y'}] |"
                        + " spec.resourceClaims[1].name: Duplicate value: \"d\"",
                "'initContainers':[{'name':'i','image':'i','resources':{'claims':[{'name':'d'}]}}] |"
                        + " spec.initContainers[0].resources.claims[0]: Not found: \"d\": must be one of the names in"
                        + " pod.spec.resourceClaims",
                "'resourceClaims':[{'name':'d','resourceClaimName':'x'}],'initContainers':[{'name':'i','image':'i','resources':{'claims':[{'name':'d','request':'r'},{'name':'d'}]}}]"
                        + " | spec.initContainers[0].resources.claims[1]: Duplicate value: \"d\"",
                "'hostUsers':false,'volumes':[{'name':'d','persistentVolumeClaim':{'claimName':'c'}}],'initContainers':"
                        + "[{'name':'i','image':'i','volumeDevices':[{'name':'d','devicePath':'/d'}]}] |"
                        + " spec.initContainers[0].volumeDevices: Forbidden: when `hostUsers` is false",
                "'volumes':[{'name':'d','persistentVolumeClaim':{'claimName':'c'}}],'initContainers':"
                        + "[{'name':'i','image':'i','volumeDevices':[{'name':'d','devicePath':'/../d'}]}] |"
                        + " spec.initContainers[0].volumeDevices[0].devicePath: Invalid value: \"/../d\": can not"
                        + " contain backsteps ('..')",
                "'initContainers':[{'name':'i','image':'i','restartPolicy':'Always','restartPolicyRules':[{}]}] |"
                        + " spec.initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed"
                        + " for init containers with restart policy Always",
                "'volumes':[{'name':'v','projected':{'sources':[{'secret':{'name':'s'},'configMap':{'name':'m'}}]}}] |"
                        + " may not specify more than 1 volume type per source",
                "'overhead':{'example.com/x':'-1'} | spec.overhead.limits[example.com/x]: Invalid value: \"-1\": must"
                        + " be greater than or equal to 0",
                "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'t','matchLabelKeys':['k'],'mismatchLabelKeys':['k'],'labelSelector':{}}]}}"
                        + " | requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]: Invalid value: \"k\":"
                        + " exists in both matchLabelKeys and mismatchLabelKeys",
                "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'t','whenUnsatisfiable':'DoNotSchedule','matchLabelKeys':['k'],'labelSelector':{'matchLabels':{'k':'a'},'matchExpressions':[{'key':'k','operator':'In','values':['b']}]}}]"
                        + " | spec.topologySpreadConstraints[0][0]: Invalid value: \"k\": exists in both matchLabelKeys"
                        + " and labelSelector",
                "'os':{'name':'plan9'} | spec.os: Unsupported value: \"plan9\": supported values: \"linux\","
                        + " \"windows\"",
            })
    void podsAreRefused(String more, String complaint) {
        List<String> found = complaints(
                "{'terminationGracePeriodSeconds':30,'serviceAccountName':'s','containers':[{'name':'c','image':'i'}],"
                        + more + "}");
        assertThat(found).hasSize(1).first().asString().contains(complaint);
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        assertThat(complaints("{'restartPolicy':'Odd','containers':[{'name':'c'},{'image':'i'}]}"))
                .containsExactlyInAnyOrder(
                        "spec.containers[0].image: Required value",
                        "spec.containers[1].name: Required value",
                        "spec.restartPolicy: Unsupported value: \"Odd\": supported values: \"Always\", \"OnFailure\","
                                + " \"Never\"");
        assertThat(complaints("{}")).containsExactly("spec.containers: Required value");
    }

    @Test
    void aPodThatSaysALotIsGood() {
        assertThat(complaints("""
            {'terminationGracePeriodSeconds':30,'serviceAccountName':'s','restartPolicy':'Always','dnsPolicy':'None','hostname':'web-0','subdomain':'web',
             'dnsConfig':{'nameservers':['10.0.0.1','fd00::1'],'searches':['_tcp.example.com.','.'],'options':[{'name':'ndots','value':'5'}]},
             'securityContext':{'fsGroup':1000,'sysctls':[{'name':'net.ipv4.ip_unprivileged_port_start','value':'0'}],
                'seccompProfile':{'type':'RuntimeDefault'}},
             'tolerations':[{'operator':'Exists'},{'key':'a','value':'b','effect':'NoExecute','tolerationSeconds':5}],
             'volumes':[{'name':'v','emptyDir':{'medium':'Memory','sizeLimit':'1Gi'}},{'name':'d','persistentVolumeClaim':{'claimName':'c'}},
                {'name':'p','projected':{'defaultMode':420,'sources':[{'serviceAccountToken':{'path':'token','expirationSeconds':3607}},
                    {'downwardAPI':{'items':[{'path':'labels','fieldRef':{'apiVersion':'v1','fieldPath':'metadata.labels[~a/b~]'}},
                        {'path':'cpu','resourceFieldRef':{'containerName':'c','resource':'limits.cpu','divisor':'1m'}}]}}]}}],
             'initContainers':[{'name':'side','image':'i','restartPolicy':'Always','startupProbe':{'successThreshold':1,'grpc':{'port':1}}}],
             'containers':[{'name':'c','image':'i','env':[{'name':'a.b-c','value':'x'},{'name':'IP','valueFrom':{'fieldRef':{'apiVersion':'v1','fieldPath':'status.podIPs'}}}],
                'ports':[{'name':'web','containerPort':80,'protocol':'TCP'}],'volumeMounts':[{'name':'v','mountPath':'/v','subPath':'a/b'}],
                'volumeDevices':[{'name':'d','devicePath':'/dev/d'}],
                'resources':{'requests':{'cpu':'100m','example.com/gpu':'1'},'limits':{'cpu':'1','memory':'1Gi','example.com/gpu':'1'}},
                'livenessProbe':{'successThreshold':1,'httpGet':{'path':'/','port':'web','scheme':'HTTP','httpHeaders':[{'name':'X-A','value':'b'}]}},
                'lifecycle':{'preStop':{'sleep':{'seconds':30}}}}]}
            """)).isEmpty();
    }

    @Test
    void nothingIsAFolderAndADeviceAtOnce() {
        assertThat(complaints("""
            {'terminationGracePeriodSeconds':30,'volumes':[{'name':'d','persistentVolumeClaim':{'claimName':'c'}}],
             'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'d','mountPath':'/d'}],'volumeDevices':[{'name':'d','devicePath':'/d'}]}]}
            """))
                .containsExactly(
                        "spec.containers[0].volumeMounts[0].name: Invalid value: \"d\": must not already exist in"
                                + " volumeDevices",
                        "spec.containers[0].volumeMounts[0].mountPath: Invalid value: \"/d\": must not already exist"
                                + " as a path in volumeDevices",
                        "spec.containers[0].volumeDevices[0].name: Invalid value: \"d\": must not already exist in"
                                + " volumeMounts",
                        "spec.containers[0].volumeDevices[0].devicePath: Invalid value: \"/d\": must not already exist"
                                + " as a path in volumeMounts");
    }

    @Test
    void aTemplateMayNameAnImageThatAPodMayNot() {
        String spec = "{'terminationGracePeriodSeconds':30,'containers':[{'name':'c','image':' i'}]}";
        assertThat(complaints(spec))
                .containsExactly("spec.containers[0].image: Invalid value: \" i\": must not have leading or trailing"
                        + " whitespace");
        FieldErrors errors = new FieldErrors();
        PodSpecRules.check(
                Json.decodeObject(spec.replace('\'', '"').getBytes(StandardCharsets.UTF_8)), "spec", Set.of(), errors);
        assertThat(errors.causes()).isEmpty();
    }
}
