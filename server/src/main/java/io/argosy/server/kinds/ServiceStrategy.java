package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Reservation;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.ObjectWarnings;
import io.argosy.server.warnings.Remarks;
import io.argosy.server.warnings.ServiceWarnings;
import java.util.Optional;
import java.util.function.Consumer;

/** Services: each gets an address of its own when it is made, and node ports when it asks for them. */
public final class ServiceStrategy implements Strategy {
    private final ServiceClaims.Pool pool;

    ServiceStrategy(ServiceAddresses addresses, NodePorts nodePorts, ServiceLedger ledger) {
        this.pool = new ServiceClaims.Pool(addresses, nodePorts, ledger);
    }

    @Override
    public Optional<String> nameError(String name) {
        return Names.label1035Error(name);
    }

    @Override
    public void applyDefaults(ObjectNode service) {
        ObjectNode spec = child(service, "spec");
        setDefault(spec, "type", "ClusterIP");
        setDefault(spec, "sessionAffinity", "None");
        if (spec.path("sessionAffinity").asText().equals("ClientIP")) {
            setDefault(child(child(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds", 10800);
        } else if (spec.path("sessionAffinity").asText().equals("None")) {
            spec.remove("sessionAffinityConfig"); // of no use without, and in the way of those who turn it off
        }
        for (ObjectNode port : objects(spec, "ports")) {
            setDefault(port, "protocol", "TCP");
            String target = port.path("targetPort").isNull()
                    ? ""
                    : port.path("targetPort").asText("");
            if (target.isEmpty() || (port.path("targetPort").isNumber() && target.equals("0"))) {
                port.set("targetPort", port.path("port"));
            }
        }
        String type = spec.path("type").asText();
        if (!type.equals("ExternalName")) {
            setDefault(spec, "internalTrafficPolicy", "Cluster");
        }
        if (ServiceValidation.isOpen(spec)) {
            setDefault(spec, "externalTrafficPolicy", "Cluster");
        }
        if (type.equals("LoadBalancer")) {
            setDefault(spec, "allocateLoadBalancerNodePorts", true);
            for (ObjectNode ingress : objects(service.path("status").path("loadBalancer"), "ingress")) {
                if (!ingress.path("ip").asText("").isEmpty()) {
                    setDefault(ingress, "ipMode", "VIP");
                }
            }
        }
    }

    @Override
    public void prepareForCreate(ObjectNode service) {
        service.putObject("status").putObject("loadBalancer");
        ServiceChange.listAddress(child(service, "spec"));
    }

    @Override
    public void prepareForUpdate(ObjectNode service, ObjectNode before, String subresource) {
        ServiceChange.settle(service, before);
    }

    @Override
    public Reservation reserve(ObjectNode service, ObjectNode before) {
        JsonNode was = before == null ? MissingNode.getInstance() : before.path("spec");
        return ServiceClaims.take(pool, service, was);
    }

    @Override
    public void warn(ObjectNode service, ObjectNode before, String subresource, Consumer<String> warnings) {
        Remarks remarks = new Remarks(warnings);
        if (subresource.equals("status")) {
            ObjectWarnings.balancer(service, remarks);
        } else {
            ServiceWarnings.check(service, remarks);
        }
    }

    @Override
    public void released(ObjectNode service) {
        pool.release(service);
    }

    @Override
    public void validate(ObjectNode service, FieldErrors errors) {
        ServiceValidation.check(new Spot(service.path("spec"), "spec", errors));
    }

    @Override
    public void validateCreate(ObjectNode service, FieldErrors errors) {
        ServiceAnnotations.check(new Spot(service, "", errors), MissingNode.getInstance());
    }

    @Override
    public void validateUpdate(ObjectNode service, ObjectNode before, String subresource, FieldErrors errors) {
        ServiceValidation.checkChange(new Spot(service.path("spec"), "spec", errors), before.path("spec"));
        if (subresource.equals("status")) {
            Spot balancer = new Spot(service.path("status"), "status", errors).at("loadBalancer");
            ServiceValidation.checkBalancer(balancer, service.path("spec"));
        } else {
            ServiceAnnotations.check(new Spot(service, "", errors), before);
        }
    }
}
