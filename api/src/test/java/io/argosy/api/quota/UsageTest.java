package io.argosy.api.quota;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Amount;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What objects use up, and which quotas are for them. */
class UsageTest {
    @ParameterizedTest(name = "{0} {1}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "configmaps | {} | {configmaps=1, count/configmaps=1}",
                "deployments.apps | {} | {count/deployments.apps=1}",
                "pods | {'status':{'phase':'Failed'}} | {count/pods=1}",
                "pods |"
                        + " {'spec':{'containers':[{'resources':{'requests':{'cpu':'100m','memory':'1Gi'},'limits':{'cpu':'1'}}},{'resources':{'requests':{'cpu':'0.2','example.com/gpu':'2'}}}]}}"
                        + " | {count/pods=1, cpu=300m, limits.cpu=1, memory=1Gi, pods=1, requests.cpu=300m,"
                        + " requests.example.com/gpu=2, requests.memory=1Gi}",
                "pods | {'spec':{'overhead':{'cpu':'50m'},'containers':[{'resources':{'requests':{'cpu':'100m'}}}],"
                        + "'initContainers':[{'restartPolicy':'Always','resources':{'requests':{'cpu':'100m'}}},"
                        + "{'resources':{'requests':{'cpu':'300m'}}}]}}"
                        + " | {count/pods=1, cpu=450m, pods=1, requests.cpu=450m}",
                "services | {'spec':{'type':'NodePort','ports':[{},{}]}} | {count/services=1, services=1,"
                        + " services.nodeports=2}",
                "services | {'spec':{'type':'LoadBalancer','allocateLoadBalancerNodePorts':false,'ports':[{}]}}"
                        + " | {count/services=1, services=1, services.loadbalancers=1, services.nodeports=0}",
                "persistentvolumeclaims |"
                        + " {'spec':{'storageClassName':'fast','resources':{'requests':{'storage':'5Gi'}}}} |"
                        + " {count/persistentvolumeclaims=1, fast.storageclass.storage.k8s.io/persistentvolumeclaims=1,"
                        + " fast.storageclass.storage.k8s.io/requests.storage=5Gi, persistentvolumeclaims=1,"
                        + " requests.storage=5Gi}",
                "persistentvolumeclaims | {'metadata':{'annotations':{'volume.beta.kubernetes.io/storage-class':'old'}},"
                        + "'spec':{'storageClassName':'fast'}} | {count/persistentvolumeclaims=1,"
                        + " old.storageclass.storage.k8s.io/persistentvolumeclaims=1, persistentvolumeclaims=1}",
                "persistentvolumeclaims | {'spec':{'resources':{'requests':{'storage':'500m'}}}}"
                        + " | {count/persistentvolumeclaims=1, persistentvolumeclaims=1, requests.storage=1}",
                "persistentvolumeclaims | {'spec':{'resources':{'requests':{'storage':'5Gi'}}},"
                        + "'status':{'allocatedResources':{'storage':'8Gi'}}}"
                        + " | {count/persistentvolumeclaims=1, persistentvolumeclaims=1, requests.storage=8Gi}",
                // it should have been gone at 00:01:00, and half a minute of grace later it counts no more
                "pods | {'metadata':{'deletionTimestamp':'2026-01-01T00:01:00Z','deletionGracePeriodSeconds':30},"
                        + "'spec':{'containers':[{'resources':{'requests':{'cpu':'1'}}}]}} | {count/pods=1}",
                "pods | {'metadata':{'deletionTimestamp':'2026-01-01T00:01:31Z','deletionGracePeriodSeconds':30},"
                        + "'spec':{'containers':[{'resources':{'requests':{'cpu':'1'}}}]}}"
                        + " | {count/pods=1, cpu=1, pods=1, requests.cpu=1}",
                // it is being made smaller: what it still has counts
                "pods |"
                        + " {'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'1'},'limits':{'cpu':'1'}}}]},"
                        + "'status':{'containerStatuses':[{'name':'c','allocatedResources':{'cpu':'1'},'resources':{'requests':{'cpu':'2'},'limits':{'cpu':'3'}}}]}}"
                        + " | {count/pods=1, cpu=2, limits.cpu=3, pods=1, requests.cpu=2}",
                // it will never be made larger: what it asks for does not count
                "pods | {'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'9'}}}]},"
                        + "'status':{'conditions':[{'type':'PodResizePending','reason':'Infeasible'}],"
                        + "'containerStatuses':[{'name':'c','allocatedResources':{'cpu':'1'},'resources':{'requests':{'cpu':'1'}}}]}}"
                        + " | {count/pods=1, cpu=1, pods=1, requests.cpu=1}",
                "resourceclaims.resource.k8s.io | {'spec':{'devices':{'requests':["
                        + "{'exactly':{'deviceClassName':'gpu','allocationMode':'ExactCount','count':2}},"
                        + "{'firstAvailable':[{'deviceClassName':'gpu','allocationMode':'ExactCount','count':1},"
                        + "{'deviceClassName':'gpu','allocationMode':'ExactCount','count':3},"
                        + "{'deviceClassName':'nic','allocationMode':'All'}]}]}}}"
                        + " | {count/resourceclaims.resource.k8s.io=1, gpu.deviceclass.resource.k8s.io/devices=5,"
                        + " nic.deviceclass.resource.k8s.io/devices=32}"
            })
    void usage(String resource, String object, String usage) {
        int dot = resource.indexOf('.');
        GroupResource type = dot < 0
                ? new GroupResource("", resource)
                : new GroupResource(resource.substring(dot + 1), resource.substring(0, dot));
        assertThat(new TreeMap<>(Usage.of(type, json(object), Instant.parse("2026-01-01T00:02:00Z"))).toString())
                .isEqualTo(usage);
        Usage.of(type, json(object), Instant.parse("2026-01-01T00:02:00Z"))
                .keySet()
                .forEach(name -> assertThat(Usage.source(name)).isEqualTo(type));
    }

    @ParameterizedTest(name = "{0} covers {1}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | {} | true",
                "{'scopes':['Terminating']} | {'spec':{'activeDeadlineSeconds':5}} | true",
                "{'scopes':['NotTerminating']} | {'spec':{'activeDeadlineSeconds':5}} | false",
                "{'scopes':['BestEffort']} | {'spec':{'containers':[{}]}} | true",
                "{'scopes':['BestEffort','NotTerminating']} | {'spec':{'activeDeadlineSeconds':5,'containers':[{}]}} |"
                        + " false",
                "{'scopes':['NotBestEffort']} | {'spec':{'containers':[{'resources':{'limits':{'cpu':'1'}}}]}} | true",
                "{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass','operator':'In','values':['high']}]}}"
                        + " | {'spec':{'priorityClassName':'high'}} | true",
                "{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass','operator':'NotIn','values':['high']}]}}"
                        + " | {'spec':{'priorityClassName':'high'}} | false",
                "{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass','operator':'DoesNotExist'}]}}"
                        + " | {'spec':{}} | true",
                "{'scopes':['CrossNamespacePodAffinity']} | {'spec':{'affinity':{'podAffinity':"
                        + "{'requiredDuringSchedulingIgnoredDuringExecution':[{'namespaces':['x']}]}}}} | true"
            })
    void scopes(String spec, String pod, boolean covered) {
        assertThat(Quota.covers(json(spec), new GroupResource("", "pods"), json(pod)))
                .isEqualTo(covered);
        boolean scoped = !spec.equals("{}");
        assertThat(Quota.covers(json(spec), new GroupResource("", "services"), json(pod)))
                .isEqualTo(!scoped);
    }

    @ParameterizedTest(name = "{0} covers {1}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "{'operator':'Exists'} | {'spec':{'volumeAttributesClassName':'gold'}} | true",
                "{'operator':'Exists'} | {'spec':{}} | false",
                "{'operator':'DoesNotExist'} | {'spec':{}} | true",
                "{'operator':'In','values':['gold']} | {'spec':{'volumeAttributesClassName':'gold'}} | true",
                "{'operator':'In','values':['gold']} | {'status':{'currentVolumeAttributesClassName':'gold'}} | true",
                "{'operator':'In','values':['gold']}"
                        + " | {'status':{'modifyVolumeStatus':{'targetVolumeAttributesClassName':'gold'}}} | true",
                "{'operator':'In','values':['gold']} | {'spec':{'volumeAttributesClassName':'tin'}} | false",
                "{'operator':'NotIn','values':['gold']} | {'spec':{'volumeAttributesClassName':'tin'}} | true"
            })
    void claimsAreCountedByTheirVolumeAttributesClass(String expression, String claim, boolean covered) {
        String scoped = expression.replaceFirst("\\{", "{'scopeName':'VolumeAttributesClass',");
        JsonNode spec = json("{'scopeSelector':{'matchExpressions':[" + scoped + "]}}");
        assertThat(Quota.covers(spec, new GroupResource("", "persistentvolumeclaims"), json(claim)))
                .isEqualTo(covered);
        assertThat(Quota.covers(spec, new GroupResource("", "pods"), json(claim)))
                .isFalse();
    }

    @ParameterizedTest(name = "{0} + {1} = {2}")
    @CsvSource({
        "500m, 1, 1500m",
        "1Gi, 512Mi, 1536Mi",
        "0, 64Mi, 64Mi",
        "1Gi, 1, 1073741825",
        "1e3, 1, 1001",
        "1k, 0, 1k"
    })
    void sums(String a, String b, String sum) {
        assertThat(Amount.parse(a).orElseThrow().plus(Amount.parse(b).orElseThrow()))
                .hasToString(sum);
    }

    private static JsonNode json(String text) {
        return Json.decodeObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}
