import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { NotFoundError } from '../errors.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { KVMap, ProjectQuery, TracerSession, TracerSessionResult } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'
import { datasetIdOf } from './dataset-key.ts'
import { projectLink } from './links.ts'

export interface CreateProjectParams {
  projectName: string
  description?: string | null | undefined
  /** Kept under `extra.metadata`. */
  metadata?: KVMap | null | undefined
  /** Returns, and updates, the project of that name when there is one. @default false */
  upsert?: boolean | undefined
  projectExtra?: KVMap | null | undefined
  /** Makes the project an experiment over that dataset. */
  referenceDatasetId?: string | null | undefined
  numExamples?: number | undefined
  numRepetitions?: number | undefined
  evaluatorKeys?: string[] | undefined
  tagValueIds?: string[] | undefined
}

/** What is left out stays as it is. */
export interface UpdateProjectParams {
  name?: string | null | undefined
  description?: string | null | undefined
  metadata?: KVMap | null | undefined
  /** Keys of the metadata that go; other servers ignore it. */
  removedMetadata?: readonly string[] | undefined
  projectExtra?: KVMap | null | undefined
  /** Anything `Date` can parse. */
  endTime?: string | Date | null | undefined
  /**
   * What the change is based on: a ConflictError when a field has another value by now. Of `extra`, members, and of its
   * `metadata` single keys; null for a missing one. An extension of ours.
   */
  expected?:
    | { name?: string | undefined; description?: string | null | undefined; extra?: KVMap | undefined }
    | undefined
}

/** Exactly one of the two. */
export interface ProjectKey {
  projectId?: string | undefined
  projectName?: string | undefined
}

export interface ListProjectsParams {
  projectIds?: string[] | undefined
  name?: string | undefined
  nameContains?: string | undefined
  referenceDatasetId?: string | undefined
  referenceDatasetName?: string | undefined
  includeStats?: boolean | undefined
  datasetVersion?: string | undefined
  referenceFree?: boolean | undefined
  metadata?: KVMap | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export class ProjectCalls extends Calls {
  /** @throws ConflictError when the name is taken and `upsert` is not set */
  async createProject(params: CreateProjectParams, options: CallOptions = {}): Promise<TracerSession> {
    const { referenceDatasetId } = params
    if (referenceDatasetId) assertUuid(referenceDatasetId, 'referenceDatasetId')
    const body = {
      name: params.projectName,
      extra: { ...params.projectExtra, ...(params.metadata && { metadata: params.metadata }) },
      description: params.description ?? null,
      reference_dataset_id: referenceDatasetId ?? undefined,
      num_examples: params.numExamples,
      num_repetitions: params.numRepetitions,
      evaluator_keys: params.evaluatorKeys,
      tag_value_ids: params.tagValueIds,
    }
    return await this.transport.call(routes.projects.create, {
      query: { upsert: params.upsert || undefined },
      body,
      doing: `create project ${params.projectName}`,
      ...options,
    })
  }

  async updateProject(
    projectId: string,
    update: UpdateProjectParams,
    options: CallOptions = {},
  ): Promise<TracerSession> {
    assertUuid(projectId)
    const { name, description, metadata, removedMetadata, projectExtra, endTime, expected } = update
    const extra = metadata || projectExtra ? { ...projectExtra, ...(metadata && { metadata }) } : undefined
    return await this.transport.call(routes.projects.update, {
      params: { session_id: projectId },
      body: {
        name: name ?? undefined,
        extra,
        removed_metadata: removedMetadata && [...removedMetadata],
        description: description ?? undefined,
        end_time: endTime ? new Date(endTime).toISOString() : undefined,
        expected,
      },
      doing: `update project ${projectId}`,
      ...options,
    })
  }

  /** @throws NotFoundError when there is no such project */
  async readProject(
    key: ProjectKey & { includeStats?: boolean | undefined },
    options: CallOptions = {},
  ): Promise<TracerSessionResult> {
    return await findProject(this.transport, key, options)
  }

  async hasProject(key: ProjectKey, options: CallOptions = {}): Promise<boolean> {
    try {
      await findProject(this.transport, key, options)
      return true
    } catch (error) {
      if (error instanceof NotFoundError) return false
      throw error
    }
  }

  /** Every matching project, fetched a page at a time: `for await (const project of client.listProjects())`. */
  async *listProjects(params: ListProjectsParams = {}, options: CallOptions = {}): AsyncGenerator<TracerSessionResult> {
    const { projectIds, referenceDatasetId, referenceDatasetName } = params
    for (const [index, id] of (projectIds ?? []).entries()) assertUuid(id, `projectIds[${index}]`)
    if (referenceDatasetId) assertUuid(referenceDatasetId, 'referenceDatasetId')
    const dataset =
      referenceDatasetId ??
      (referenceDatasetName &&
        (await datasetIdOf(this.transport, { datasetName: referenceDatasetName }, undefined, options)))
    const query = {
      id: projectIds,
      name: params.name,
      name_contains: params.nameContains,
      reference_dataset: dataset,
      include_stats: params.includeStats,
      dataset_version: params.datasetVersion,
      reference_free: params.referenceFree,
      metadata: params.metadata && JSON.stringify(params.metadata),
    }
    const request = { query, doing: 'list projects', ...options }
    yield* offsetPages(this.transport, routes.projects.list, request, { limit: params.limit })
  }

  /** One page of `GET /sessions`, with every query parameter of the endpoint. An extension of ours. */
  async queryProjects(query: ProjectQuery = {}, options: CallOptions = {}): Promise<TracerSessionResult[]> {
    const metadata = query.metadata && JSON.stringify(query.metadata)
    return await this.transport.call(routes.projects.list, {
      query: { ...query, metadata },
      doing: 'list projects',
      ...options,
    })
  }

  /** Deletes the project with its runs and feedback. */
  async deleteProject(key: ProjectKey, options: CallOptions = {}): Promise<void> {
    checkKey(key)
    const id = key.projectId ?? (await findProject(this.transport, key, options)).id
    assertUuid(id)
    await this.transport.send(routes.projects.delete, {
      params: { session_id: id },
      doing: `delete project ${id}`,
      ...options,
    })
  }

  /** The web page of a project. */
  async getProjectUrl(key: ProjectKey, options: CallOptions = {}): Promise<string> {
    if (key.projectId === undefined && key.projectName === undefined) {
      throw new Error('Must provide either projectName or projectId')
    }
    const { id } = await findProject(this.transport, key, options)
    return await projectLink(this.transport, id)
  }
}

/** By id with one read, by name through the list; both and neither are refused before any request. */
export async function findProject(
  transport: Transport,
  key: ProjectKey & { includeStats?: boolean | undefined },
  options: CallOptions = {},
): Promise<TracerSessionResult> {
  checkKey(key)
  const { projectId, projectName, includeStats } = key
  const query = { include_stats: includeStats }
  if (projectId !== undefined) {
    assertUuid(projectId)
    const doing = `read project ${projectId}`
    return await transport.call(routes.projects.read, { params: { session_id: projectId }, query, doing, ...options })
  }
  const [project] = await transport.call(routes.projects.list, {
    query: { ...query, name: projectName },
    doing: `read project ${projectName}`,
    ...options,
  })
  if (project) return project
  throw new NotFoundError(`Project[id=${projectId}, name=${projectName}] not found`, { status: 404 })
}

function checkKey({ projectId, projectName }: ProjectKey): void {
  if (projectId !== undefined && projectName !== undefined) {
    throw new Error('Must provide either projectName or projectId, not both')
  }
  if (projectId === undefined && projectName === undefined) throw new Error('Must provide projectName or projectId')
}
