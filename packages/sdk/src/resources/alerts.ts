import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  Alert,
  AlertChange,
  AlertDefinitionWrite,
  AlertEpisode,
  AlertEpisodeDetails,
  AlertPoint,
  AlertPreview,
  AlertVersion,
  AlertWrite,
} from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'

export interface ListAlertsParams {
  /** Alerts that watch this project. */
  projectId?: string | undefined
  /** Part of the name or the description. */
  search?: string | undefined
  state?: Alert['state'] | undefined
  isFiring?: boolean | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export interface ListAlertEpisodesParams {
  alertId?: string | undefined
  projectId?: string | undefined
  /** Only those that last. */
  isOpen?: boolean | undefined
  /** Episodes that touch this period. */
  from?: string | undefined
  to?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export interface ReadAlertPointsParams {
  /** @default 24 hours before `to` */
  from?: string | undefined
  /** @default now */
  to?: string | undefined
  /** @default 1000 */
  maxPoints?: number | undefined
}

/** Alerts on figures of runs. Extensions of ours. */
export class AlertCalls extends Calls {
  /** Those that fire first, then by name; fetched a page at a time. */
  async *listAlerts(
    { projectId, search, state, isFiring, limit }: ListAlertsParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<Alert> {
    const query = { project_id: projectId, search, state, is_firing: isFiring }
    const request = { query, doing: 'list alerts', ...options }
    yield* offsetPages(this.transport, routes.alerts.list, request, { limit, key: 'alerts' })
  }

  /** @throws NotFoundError */
  async readAlert(id: string, options: CallOptions = {}): Promise<Alert> {
    return await this.transport.call(routes.alerts.read, {
      params: toParams(id),
      doing: `read alert ${id}`,
      ...options,
    })
  }

  /** @throws ConflictError for a name that is taken; BadRequestError for a project or channel that does not exist */
  async createAlert(alert: AlertWrite, options: CallOptions = {}): Promise<Alert> {
    return await this.transport.call(routes.alerts.create, { body: alert, doing: 'create an alert', ...options })
  }

  /** Absent fields stay; a definition makes a new version. @throws NotFoundError, ConflictError */
  async updateAlert(id: string, change: AlertChange, options: CallOptions = {}): Promise<Alert> {
    const request = { params: toParams(id), body: change, doing: `update alert ${id}`, ...options }
    return await this.transport.call(routes.alerts.update, request)
  }

  /** Takes its history with it. @throws NotFoundError */
  async deleteAlert(id: string, options: CallOptions = {}): Promise<void> {
    await this.transport.send(routes.alerts.delete, { params: toParams(id), doing: `delete alert ${id}`, ...options })
  }

  /** What an alert would have done in the last days; nothing is saved or sent. */
  async previewAlert(
    definition: AlertDefinitionWrite,
    { days, maxPoints }: { days?: number | undefined; maxPoints?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<AlertPreview> {
    const body = { definition, days, max_points: maxPoints }
    return await this.transport.call(routes.alerts.preview, { body, doing: 'preview an alert', ...options })
  }

  /** Sends a test notice to all recipients. @returns ids of the deliveries */
  async testAlert(id: string, options: CallOptions = {}): Promise<string[]> {
    const request = { params: toParams(id), doing: `test alert ${id}`, maxRetries: 0, ...options }
    return (await this.transport.call(routes.alerts.test, request)).delivery_ids
  }

  /** Newest first. @throws NotFoundError */
  async *listAlertVersions(id: string, options: CallOptions = {}): AsyncGenerator<AlertVersion> {
    const request = { params: toParams(id), doing: `list versions of alert ${id}`, ...options }
    yield* offsetPages(this.transport, routes.alerts.listVersions, request, { key: 'versions' })
  }

  /** What was compared, oldest first; kept for 90 days. @throws NotFoundError */
  async readAlertPoints(
    id: string,
    { from, to, maxPoints }: ReadAlertPointsParams = {},
    options: CallOptions = {},
  ): Promise<AlertPoint[]> {
    const query = { from, to, max_points: maxPoints }
    const request = { params: toParams(id), query, doing: `read points of alert ${id}`, ...options }
    return (await this.transport.call(routes.alerts.points, request)).points
  }

  /** Newest first. */
  async *listAlertEpisodes(
    { alertId, projectId, isOpen, from, to, limit }: ListAlertEpisodesParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<AlertEpisode> {
    const query = { alert_id: alertId, project_id: projectId, is_open: isOpen, from, to }
    const request = { query, doing: 'list episodes of alerts', ...options }
    yield* offsetPages(this.transport, routes.alerts.listEpisodes, request, { limit, key: 'episodes' })
  }

  /** An episode with its groups and the query of its runs. @throws NotFoundError */
  async readAlertEpisode(alertId: string, number: number, options: CallOptions = {}): Promise<AlertEpisodeDetails> {
    const params = { ...toParams(alertId), number: String(number) }
    const request = { params, doing: `read episode ${number} of alert ${alertId}`, ...options }
    return await this.transport.call(routes.alerts.readEpisode, request)
  }

  /** Notices of an acknowledged episode do not repeat. @throws NotFoundError */
  async acknowledgeAlert(alertId: string, number: number, options: CallOptions = {}): Promise<AlertEpisode> {
    const params = { ...toParams(alertId), number: String(number) }
    const request = { params, doing: `acknowledge episode ${number} of alert ${alertId}`, ...options }
    return await this.transport.call(routes.alerts.acknowledge, request)
  }
}

function toParams(id: string): { alert_id: string } {
  assertUuid(id)
  return { alert_id: id }
}
