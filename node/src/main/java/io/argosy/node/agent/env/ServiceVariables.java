package io.argosy.node.agent.env;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The variables through which a container finds Services without asking DNS: NAME_SERVICE_HOST, NAME_PORT and so on. */
public final class ServiceVariables {
    private ServiceVariables() {}

    /** The variables of the pod's own namespace (if links are on) and, always, of the API server's Service. */
    public static Map<String, String> of(String namespace, boolean links, Collection<Service> services) {
        Map<String, Service> chosen = new LinkedHashMap<>();
        for (Service service : services) {
            String in = service.getMetadata().getNamespace();
            String name = service.getMetadata().getName();
            boolean master = in.equals("default") && name.equals("kubernetes");
            if (master) {
                chosen.putIfAbsent(name, service);
            } else if (links && in.equals(namespace)) {
                chosen.put(name, service);
            }
        }
        Map<String, String> variables = new LinkedHashMap<>();
        chosen.values().forEach(service -> add(service, variables));
        return variables;
    }

    private static void add(Service service, Map<String, String> out) {
        String ip = service.getSpec().getClusterIP();
        if (ip == null
                || ip.isEmpty()
                || ip.equals("None")
                || service.getSpec().getPorts().isEmpty()) {
            return;
        }
        String prefix = variableName(service.getMetadata().getName());
        ServicePort first = service.getSpec().getPorts().getFirst();
        out.put(prefix + "_SERVICE_HOST", ip);
        out.put(prefix + "_SERVICE_PORT", first.getPort().toString());
        for (ServicePort port : service.getSpec().getPorts()) {
            if (port.getName() != null && !port.getName().isEmpty()) {
                out.put(
                        prefix + "_SERVICE_PORT_" + variableName(port.getName()),
                        port.getPort().toString());
            }
        }
        String host = ip.indexOf(':') >= 0 ? "[" + ip + "]" : ip;
        for (ServicePort port : service.getSpec().getPorts()) {
            String protocol = port.getProtocol() == null ? "TCP" : port.getProtocol();
            String lower = protocol.toLowerCase(Locale.ROOT);
            String url = lower + "://" + host + ":" + port.getPort();
            out.putIfAbsent(prefix + "_PORT", url);
            String one = prefix + "_PORT_" + port.getPort() + "_" + protocol.toUpperCase(Locale.ROOT);
            out.put(one, url);
            out.put(one + "_PROTO", lower);
            out.put(one + "_PORT", port.getPort().toString());
            out.put(one + "_ADDR", ip);
        }
    }

    private static String variableName(String name) {
        return name.replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
