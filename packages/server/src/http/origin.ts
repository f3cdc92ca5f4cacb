import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Where users reach this server: as the operator said, else as this caller did. */
export function getOrigin(config: Pick<Config, 'publicUrl'>, request: FastifyRequest): string {
  return config.publicUrl ?? `${request.protocol}://${request.host}`
}

/** The same, beside what a feature needs: whatever it reads has absolute URLs. */
export function withOrigin<Needed extends { readonly config: Pick<Config, 'publicUrl'> }>(
  deps: Needed,
  request: FastifyRequest,
): Needed & { readonly origin: string } {
  return { ...deps, origin: getOrigin(deps.config, request) }
}
