package io.argosy.server.kinds;

import io.argosy.api.GroupResource;
import io.argosy.server.flow.FlowControl;
import io.argosy.server.initializer.InitializerStrategy;
import io.argosy.server.policy.BindingStrategy;
import io.argosy.server.policy.PolicyStrategy;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.AccessRules;
import io.argosy.server.rules.BudgetRules;
import io.argosy.server.rules.EndpointRules;
import io.argosy.server.rules.IngressRules;
import io.argosy.server.rules.LeaseRules;
import io.argosy.server.rules.LimitRangeRules;
import io.argosy.server.rules.NetworkPolicyRules;
import io.argosy.server.rules.QuotaRules;
import io.argosy.server.webhook.WebhookStrategy;
import java.util.HashMap;
import java.util.Map;

/** Which kind has which peculiarities; a kind that is not here has none. */
public final class Strategies {
    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final String ADMISSION = "admissionregistration.k8s.io";

    private final Map<GroupResource, Strategy> strategies = new HashMap<>();

    public Strategies(ServiceAddresses addresses, NodePorts nodePorts, ServiceLedger ledger) {
        core(new ServiceStrategy(addresses, nodePorts, ledger));
        workloads();
        others();
    }

    public Strategy of(GroupResource resource) {
        return strategies.getOrDefault(resource, Strategy.PLAIN);
    }

    private void core(ServiceStrategy services) {
        put("", "pods", new PodStrategy());
        put("", "services", services);
        put("", "nodes", new NodeStrategy());
        put("", "namespaces", new NamespaceStrategy());
        put("", "configmaps", new PayloadStrategy(false));
        put("", "secrets", new PayloadStrategy(true));
        put("", "persistentvolumes", new VolumeStrategy());
        put("", "persistentvolumeclaims", new ClaimStrategy());
        put(
                "",
                "endpoints",
                DefaultsStrategy.of(SmallDefaults::endpoints)
                        .withRules(EndpointRules::endpoints)
                        .creatingOnUpdate());
        put("", "events", DefaultsStrategy.plain().creatingOnUpdate());
        put(
                "",
                "limitranges",
                DefaultsStrategy.plain().withRules(LimitRangeRules::check).creatingOnUpdate());
        put(
                "",
                "resourcequotas",
                DefaultsStrategy.plain().withRules(QuotaRules::check).fixing("spec.scopes"));
        put("", "podtemplates", DefaultsStrategy.of(SmallDefaults::podTemplate).creatingOnUpdate());
        put(
                "discovery.k8s.io",
                "endpointslices",
                DefaultsStrategy.of(SmallDefaults::endpointSlice)
                        .withRules(EndpointRules::slice)
                        .fixing("addressType")
                        .withGeneration());
        put(
                "coordination.k8s.io",
                "leases",
                DefaultsStrategy.plain().withRules(LeaseRules::check).creatingOnUpdate());
    }

    private void workloads() {
        put("", "replicationcontrollers", WorkloadStrategy.replicationController());
        put("apps", "deployments", WorkloadStrategy.deployment());
        put("apps", "replicasets", WorkloadStrategy.replicaSet());
        put("apps", "statefulsets", WorkloadStrategy.statefulSet());
        put("apps", "daemonsets", WorkloadStrategy.daemonSet());
        put("batch", "jobs", new JobStrategy());
        put("batch", "cronjobs", new CronJobStrategy());
        put("autoscaling", "horizontalpodautoscalers", new AutoscalerStrategy());
        put("settings.k8s.io", "podpresets", new PodPresetStrategy());
        put(
                "policy",
                "poddisruptionbudgets",
                DefaultsStrategy.plain().withRules(BudgetRules::check).withGeneration());
    }

    private void others() {
        put("storage.k8s.io", "storageclasses", new StorageClassStrategy());
        put("storage.k8s.io", "csidrivers", DefaultsStrategy.of(SmallDefaults::csiDriver));
        put("networking.k8s.io", "ingresses", new IngressStrategy());
        put(
                "networking.k8s.io",
                "networkpolicies",
                DefaultsStrategy.of(SmallDefaults::networkPolicy)
                        .withRules(NetworkPolicyRules::check)
                        .withGeneration());
        put("networking.k8s.io", "ipaddresses", new IpAddressStrategy());
        put("networking.k8s.io", "servicecidrs", new ServiceCidrStrategy());
        put(
                "networking.k8s.io",
                "ingressclasses",
                DefaultsStrategy.plain()
                        .withRules(IngressRules::checkClass)
                        .fixing("spec.controller")
                        .withGeneration());
        put("scheduling.k8s.io", "priorityclasses", new PriorityClassStrategy());
        put("node.k8s.io", "runtimeclasses", new RuntimeClassStrategy());
        put(ADMISSION, "mutatingwebhookconfigurations", new WebhookStrategy(true));
        put(ADMISSION, "validatingwebhookconfigurations", new WebhookStrategy(false));
        put(ADMISSION, "initializerconfigurations", new InitializerStrategy());
        for (boolean mutating : new boolean[] {false, true}) {
            String which = mutating ? "mutating" : "validating";
            put(ADMISSION, which + "admissionpolicies", new PolicyStrategy(mutating));
            put(ADMISSION, which + "admissionpolicybindings", new BindingStrategy(mutating));
        }
        put(FlowControl.GROUP, FlowControl.SCHEMAS, new FlowSchemaStrategy());
        put(FlowControl.GROUP, FlowControl.LEVELS, new PriorityLevelStrategy());
        access();
    }

    private void access() {
        DefaultsStrategy role = DefaultsStrategy.plain().namedFreely();
        put(RBAC, "roles", role.withRules(AccessRules::role));
        put(RBAC, "clusterroles", role.withRules(AccessRules::clusterRole));
        DefaultsStrategy binding =
                DefaultsStrategy.of(SmallDefaults::roleBinding).namedFreely();
        put(RBAC, "rolebindings", binding.withRules(AccessRules::roleBinding));
        put(RBAC, "clusterrolebindings", binding.withRules(AccessRules::clusterRoleBinding));
    }

    private void put(String group, String resource, Strategy strategy) {
        strategies.put(new GroupResource(group, resource), strategy);
    }
}
