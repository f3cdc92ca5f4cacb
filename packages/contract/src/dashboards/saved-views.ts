import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'

/** A part of a page's address: text of any content, within reason. */
const part = repairedText(20_000).optional()

/** How a list of runs is looked at: the parameters of its address, under the same names. */
export const RunViewState = z.object({
  filter: part,
  traceFilter: part,
  treeFilter: part,
  t: part,
  scope: part,
  cols: part,
  sort: part,
})
export type RunViewState = z.infer<typeof RunViewState>

const ViewName = repairedText(200).trim().min(1, 'is empty')

/** A named way to look at runs, of everybody in the workspace or of one alone. */
export const SavedView = z.object({
  id: z.string(),
  name: z.string(),
  /** The project that it belongs to; null when every project offers it. */
  session_id: z.string().nullable(),
  state: RunViewState,
  /** True if only its creator sees it: a person or an API key. On an open server all callers are the same. */
  is_personal: z.boolean(),
  created_at: z.string(),
  modified_at: z.string(),
})
export type SavedView = z.infer<typeof SavedView>

export const SavedViewCreate = z.object({
  name: ViewName,
  session_id: Uuid.nullish(),
  state: RunViewState,
  /** @default false */
  is_personal: z.boolean().nullish(),
})
export type SavedViewCreate = z.output<typeof SavedViewCreate>

/** Null means unchanged; a state replaces the whole state. */
export const SavedViewUpdate = z.object({
  name: ViewName.nullish(),
  state: RunViewState.nullish(),
  is_personal: z.boolean().nullish(),
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. An extension of ours.
   */
  expected: z.object({ name: z.string(), state: RunViewState }).partial().nullish(),
})
export type SavedViewUpdate = z.output<typeof SavedViewUpdate>

const id = z.object({ view_id: Uuid })
const tag = 'views'

export const savedViewRoutes = describeRoutes(routes.savedViews, tag, {
  list: {
    extension: true,
    summary: 'Saved views of a project and of the workspace, shared and of the caller, by name',
    query: z.object({ session_id: Uuid.optional() }),
    answer: z.array(SavedView),
  },
  create: {
    extension: true,
    summary:
      'Save a view; names are unique within a project and within the workspace, among shared and among personal ones',
    body: SavedViewCreate,
    answer: SavedView,
  },
  update: {
    extension: true,
    summary: 'Rename a view, replace what it shows, share it or keep it',
    params: id,
    body: SavedViewUpdate,
    answer: SavedView,
  },
  delete: {
    extension: true,
    summary: 'Delete a view',
    params: id,
  },
})
