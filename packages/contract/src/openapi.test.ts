import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { allRoutes } from './contract.ts'
import { openApiDocument } from './openapi.ts'
import { mountedPaths } from './wire/route.ts'

const document = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' })))

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(document)
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
  })

  it('holds every route, once, with an id of its own', () => {
    const ids = Object.values<object>(document.paths).flatMap((methods) =>
      Object.values<{ operationId: string }>(methods as never).map(({ operationId }) => operationId),
    )
    expect(ids).toHaveLength(allRoutes().length)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('marks what the public clients do not know, and what needs no key', () => {
    const { get } = document.paths['/api/v1/traces/{trace_id}/runs']
    expect(get['x-touchstone-extension']).toBe(true)
    expect(document.paths['/api/v1/sessions'].get).not.toHaveProperty('x-touchstone-extension')
    expect(document.paths['/api/v1/info'].get.security).toEqual([])
  })

  it('marks deprecated routes', () => {
    expect(document.paths['/api/v1/traces/{trace_id}/runs'].get).not.toHaveProperty('deprecated')
    expect(document.paths['/api/v1/traces/{trace_id}/spine'].get.deprecated).toBe(true)
    expect(document.paths['/api/v1/public/{share_token}/spine'].get.deprecated).toBe(true)
  })

  it('declares each parameter of each path', () => {
    for (const route of allRoutes()) {
      const path = mountedPaths(route).at(-1)!
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const { parameters } = document.paths[path][route.method.toLowerCase()]
      expect(
        parameters.filter((one: { in: string }) => one.in === 'path').map((one: { name: string }) => one.name),
      ).toEqual(wanted)
    }
  })
})
