package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.argosy.api.GroupResource;
import io.argosy.server.flow.FlowControl;
import io.argosy.server.initializer.InitializerStrategy;
import io.argosy.server.podspec.PodTemplateRules;
import io.argosy.server.policy.BindingStrategy;
import io.argosy.server.policy.PolicyStrategy;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.AccessRules;
import io.argosy.server.rules.AttachmentRules;
import io.argosy.server.rules.BudgetRules;
import io.argosy.server.rules.DeviceClaimRules;
import io.argosy.server.rules.DeviceSelectors;
import io.argosy.server.rules.DeviceSliceRules;
import io.argosy.server.rules.DriverRules;
import io.argosy.server.rules.EndpointRules;
import io.argosy.server.rules.IngressRules;
import io.argosy.server.rules.LimitRangeRules;
import io.argosy.server.rules.NetworkPolicyRules;
import io.argosy.server.rules.QuotaRules;
import io.argosy.server.rules.RevisionRules;
import io.argosy.server.rules.StorageClassRules;
import io.argosy.server.rules.StorageNodeRules;
import io.argosy.server.warnings.ObjectWarnings;
import io.argosy.server.warnings.PodWarnings;
import io.argosy.server.warnings.StorageWarnings;
import io.argosy.server.webhook.WebhookStrategy;
import java.util.HashMap;
import java.util.Map;

/** Which kind has which peculiarities; a kind that is not here has none. */
public final class Strategies {
    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final String DEVICES = "resource.k8s.io";
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
                        .beginning(object -> EndpointRules.endpoints(object, MissingNode.getInstance()))
                        .changing(EndpointRules::endpoints)
                        .advising(ObjectWarnings::endpoints));
        put("", "serviceaccounts", new ServiceAccountStrategy());
        put("", "events", new EventStrategy());
        put("", "limitranges", DefaultsStrategy.of(SmallDefaults::limitRange).withRules(LimitRangeRules::check));
        put(
                "",
                "resourcequotas",
                DefaultsStrategy.plain()
                        .withRules(QuotaRules::check)
                        .changing(QuotaRules::change)
                        .advising(ObjectWarnings::quota));
        put(
                "",
                "podtemplates",
                DefaultsStrategy.of(SmallDefaults::podTemplate)
                        .withRules(template -> PodTemplateRules.check(template.at("template")))
                        .advising((object, before, remarks) -> {
                            if (WorkloadStrategy.isNewGeneration(object, before)) {
                                PodWarnings.ofTemplate(object.path("template"), "template", remarks);
                            }
                        })
                        .withGeneration());
        put("discovery.k8s.io", "endpointslices", new EndpointSliceStrategy());
        put("coordination.k8s.io", "leases", new LeaseStrategy());
    }

    private void workloads() {
        put("", "replicationcontrollers", WorkloadStrategy.replicationController());
        put("apps", "deployments", WorkloadStrategy.deployment());
        put("apps", "replicasets", WorkloadStrategy.replicaSet());
        put("apps", "statefulsets", WorkloadStrategy.statefulSet());
        put("apps", "daemonsets", WorkloadStrategy.daemonSet());
        put(
                "apps",
                "controllerrevisions",
                DefaultsStrategy.plain()
                        .withRules(RevisionRules::check)
                        .beginning(RevisionRules::checkData)
                        .fixing("data"));
        put("batch", "jobs", new JobStrategy());
        put("batch", "cronjobs", new CronJobStrategy());
        put("autoscaling", "horizontalpodautoscalers", new AutoscalerStrategy());
        put("settings.k8s.io", "podpresets", new PodPresetStrategy());
        put(
                "policy",
                "poddisruptionbudgets",
                DefaultsStrategy.plain()
                        .withRules(BudgetRules::check)
                        .namedFreely()
                        .withGeneration());
    }

    private void others() {
        put(
                "storage.k8s.io",
                "storageclasses",
                DefaultsStrategy.of(SmallDefaults::storageClass)
                        .withRules(StorageClassRules::check)
                        .changing(StorageClassRules::change)
                        .advising((object, before, remarks) -> StorageWarnings.storageClass(object, remarks)));
        put(
                "storage.k8s.io",
                "volumeattributesclasses",
                DefaultsStrategy.plain()
                        .withRules(StorageClassRules::checkAttributes)
                        .changing(StorageClassRules::changeAttributes));
        put(
                "storage.k8s.io",
                "csidrivers",
                DefaultsStrategy.of(SmallDefaults::csiDriver)
                        .withRules(DriverRules::check)
                        .changing(DriverRules::change)
                        .advising(ObjectWarnings::driver));
        put(
                "storage.k8s.io",
                "csinodes",
                DefaultsStrategy.plain().withRules(StorageNodeRules::node).changing(StorageNodeRules::nodeChange));
        put(
                "storage.k8s.io",
                "csistoragecapacities",
                DefaultsStrategy.plain()
                        .withRules(StorageNodeRules::capacity)
                        .fixing("nodeTopology", "storageClassName")
                        .advising(ObjectWarnings::capacity));
        put(
                "storage.k8s.io",
                "volumeattachments",
                DefaultsStrategy.plain().withRules(AttachmentRules::check).fixing("spec"));
        put("networking.k8s.io", "ingresses", new IngressStrategy());
        put(
                "networking.k8s.io",
                "networkpolicies",
                DefaultsStrategy.of(SmallDefaults::networkPolicy)
                        .withRules(NetworkPolicyRules::check)
                        .advising(ObjectWarnings::networkPolicy)
                        .withGeneration());
        put("networking.k8s.io", "ipaddresses", new IpAddressStrategy());
        put("networking.k8s.io", "servicecidrs", new ServiceCidrStrategy());
        put(
                "networking.k8s.io",
                "ingressclasses",
                DefaultsStrategy.of(SmallDefaults::ingressClass)
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
        devices();
        access();
    }

    private void devices() {
        put(
                DEVICES,
                "deviceclasses",
                DefaultsStrategy.plain()
                        .withRules(DeviceClaimRules::deviceClass)
                        .beginning(DeviceSelectors::ofClass)
                        .changing(DeviceSelectors::ofChangedClass)
                        .withGeneration());
        put(
                DEVICES,
                "resourceclaims",
                DefaultsStrategy.of(SmallDefaults::deviceClaim)
                        .withRules(DeviceClaimRules::claim)
                        .beginning(claim -> DeviceSelectors.ofClaim(claim.at("spec")))
                        .changing(DeviceClaimRules::claimChange));
        put(
                DEVICES,
                "resourceclaimtemplates",
                DefaultsStrategy.of(SmallDefaults::deviceClaimTemplate)
                        .withRules(DeviceClaimRules::template)
                        .beginning(template ->
                                DeviceSelectors.ofClaim(template.at("spec").at("spec")))
                        .changing(DeviceClaimRules::templateChange));
        put(
                DEVICES,
                "resourceslices",
                DefaultsStrategy.plain()
                        .withRules(DeviceSliceRules::check)
                        .changing(DeviceSliceRules::change)
                        .advising(ObjectWarnings::deviceSlice)
                        .withGeneration());
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
