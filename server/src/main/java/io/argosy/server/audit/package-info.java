/** Who did what, when, from where and with what answer, as audit.k8s.io has it written down. */
package io.argosy.server.audit;
