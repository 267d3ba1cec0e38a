package io.argosy.server.table;

import io.argosy.api.GroupResource;
import java.util.concurrent.ConcurrentHashMap;

/** The tables in which clients show objects, by resource; each is made when first asked for. */
public final class Tables {
    private static final ConcurrentHashMap<GroupResource, TableDefinition> MADE = new ConcurrentHashMap<>();
    private static final TableDefinition GENERIC = ConfigTables.nameAndCreation();

    private Tables() {}

    /** The table of a resource; a generic one where nobody made a table for it. */
    public static TableDefinition of(GroupResource storageResource) {
        TableDefinition known = MADE.get(storageResource);
        if (known != null) {
            return known;
        }
        TableDefinition made = make(storageResource);
        if (made == null) {
            return GENERIC;
        }
        MADE.put(storageResource, made);
        return made;
    }

    /** How many replicas something has, of whatever kind it is. */
    public static TableDefinition scale() {
        return WorkloadTables.scale();
    }

    private static TableDefinition make(GroupResource resource) {
        return switch (resource.group()) {
            case "" -> core(resource.resource());
            case "apps" -> apps(resource.resource());
            case "networking.k8s.io" -> networking(resource.resource());
            case "storage.k8s.io" -> storage(resource.resource());
            case "admissionregistration.k8s.io" -> admission(resource.resource());
            case "metrics.k8s.io" -> NodeTables.usage();
            case "resource.k8s.io" -> devices(resource.resource());
            default -> others(resource.toString());
        };
    }

    private static TableDefinition core(String resource) {
        return switch (resource) {
            case "componentstatuses" -> NodeTables.componentStatuses();
            case "configmaps" -> ConfigTables.configMaps();
            case "endpoints" -> ServiceTables.endpoints();
            case "events" -> EventTables.events();
            case "namespaces" -> ConfigTables.namespaces();
            case "nodes" -> NodeTables.nodes();
            case "persistentvolumeclaims" -> StorageTables.claims();
            case "persistentvolumes" -> StorageTables.volumes();
            case "pods" -> PodTables.pods();
            case "podtemplates" -> PodTables.podTemplates();
            case "replicationcontrollers" -> WorkloadTables.replicationControllers();
            case "resourcequotas" -> PodTables.resourceQuotas();
            case "secrets" -> ConfigTables.secrets();
            case "serviceaccounts" -> ConfigTables.nameAndAge();
            case "services" -> ServiceTables.services();
            default -> null;
        };
    }

    private static TableDefinition apps(String resource) {
        return switch (resource) {
            case "controllerrevisions" -> WorkloadTables.controllerRevisions();
            case "daemonsets" -> WorkloadTables.daemonSets();
            case "deployments" -> WorkloadTables.deployments();
            case "replicasets" -> WorkloadTables.replicaSets();
            case "statefulsets" -> WorkloadTables.statefulSets();
            default -> null;
        };
    }

    private static TableDefinition networking(String resource) {
        return switch (resource) {
            case "ingressclasses" -> NetworkTables.ingressClasses();
            case "ingresses" -> NetworkTables.ingresses();
            case "ipaddresses" -> NetworkTables.addresses();
            case "networkpolicies" -> NetworkTables.networkPolicies();
            case "servicecidrs" -> NetworkTables.serviceCidrs();
            default -> null;
        };
    }

    private static TableDefinition storage(String resource) {
        return switch (resource) {
            case "csidrivers" -> StorageTables.drivers();
            case "csinodes" -> StorageTables.driverNodes();
            case "storageclasses" -> StorageTables.storageClasses();
            case "volumeattachments" -> StorageTables.attachments();
            case "volumeattributesclasses" -> StorageTables.attributesClasses();
            default -> null;
        };
    }

    private static TableDefinition admission(String resource) {
        return switch (resource) {
            case "mutatingwebhookconfigurations", "validatingwebhookconfigurations" -> ExtensionTables.webhooks();
            case "validatingadmissionpolicies" -> ExtensionTables.validatingPolicies();
            case "mutatingadmissionpolicies" -> ExtensionTables.mutatingPolicies();
            case "validatingadmissionpolicybindings", "mutatingadmissionpolicybindings" ->
                ExtensionTables.policyBindings();
            default -> null;
        };
    }

    private static TableDefinition devices(String resource) {
        return switch (resource) {
            case "deviceclasses", "resourceclaimtemplates" -> ConfigTables.nameAndAge();
            case "resourceclaims" -> DeviceTables.claims();
            case "resourceslices" -> DeviceTables.slices();
            default -> null;
        };
    }

    private static TableDefinition others(String resource) {
        return switch (resource) {
            case "apiservices.apiregistration.k8s.io" -> ExtensionTables.apiServices();
            case "horizontalpodautoscalers.autoscaling" -> AutoscalerTables.autoscalers();
            case "cronjobs.batch" -> BatchTables.cronJobs();
            case "jobs.batch" -> BatchTables.jobs();
            case "certificatesigningrequests.certificates.k8s.io" -> AccessTables.signingRequests();
            case "poddisruptionbudgets.policy" -> PodTables.disruptionBudgets();
            case "clusterrolebindings.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io" ->
                AccessTables.roleBindings();
            case "priorityclasses.scheduling.k8s.io" -> NodeTables.priorityClasses();
            case "leases.coordination.k8s.io" -> NodeTables.leases();
            case "runtimeclasses.node.k8s.io" -> NodeTables.runtimeClasses();
            case "endpointslices.discovery.k8s.io" -> ServiceTables.endpointSlices();
            case "flowschemas.flowcontrol.apiserver.k8s.io" -> ExtensionTables.flowSchemas();
            case "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io" -> ExtensionTables.priorityLevels();
            default -> null;
        };
    }
}
