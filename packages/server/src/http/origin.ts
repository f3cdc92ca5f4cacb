import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Where users reach this server: as the operator said, else as this caller did. */
export function originOf(config: Pick<Config, 'publicUrl'>, request: FastifyRequest): string {
  return config.publicUrl ?? `${request.protocol}://${request.host}`
}
