import type * as wire from '@touchstone/contract'
import type * as sdk from './schemas.ts'

/** Fails to compile when a public type and the contract's drift apart: in a member's name, or in what it may hold. */
type Reads<Ours, Theirs extends Ours> =
  Exclude<keyof Theirs, keyof Ours> extends never ? true : { missing: Exclude<keyof Theirs, keyof Ours> }

// Answers: whatever the contract lets a server send must fit our type, and no member may be hidden.
export const answers: [
  // Inputs that are null or not selected are the one thing our type does not show, so that code which reads them compiles.
  Reads<Omit<sdk.Run, 'inputs'> & { inputs?: unknown }, wire.Run>,
  Reads<Omit<sdk.RunPage, 'runs'>, Pick<wire.RunPage, 'cursors'>>,
  Reads<sdk.SpineRun, wire.SpineRun>,
  Reads<sdk.TraceSpine, wire.TraceSpine>,
  Reads<sdk.Resolved, wire.Resolved>,
  Reads<sdk.RunShare, wire.RunShare>,
  Reads<sdk.SharedEntity, wire.SharedEntity>,
  Reads<sdk.TracerSessionResult, wire.Project>,
  Reads<sdk.RunStats, wire.RunStats>,
  Reads<sdk.RunSeries, wire.RunSeries>,
  Reads<sdk.RunHistogram, wire.RunHistogram>,
  Reads<sdk.RunFacets, wire.RunFacets>,
  Reads<sdk.Thread, wire.ThreadGroup>,
  Reads<sdk.ServerInfo, wire.ServerInfo>,
  Reads<sdk.WorkspaceSettings, wire.Settings>,
  Reads<sdk.Workspace, wire.Workspace>,
  Reads<sdk.ApiKey, wire.ApiKey>,
  Reads<sdk.NewApiKey, wire.NewApiKey>,
  Reads<sdk.ModelPrice, wire.ModelPrice>,
  Reads<sdk.FeedbackStat, wire.FeedbackStat>,
  Reads<Omit<sdk.Feedback, 'value' | 'correction'> & { value?: unknown; correction?: unknown }, wire.Feedback>,
  Reads<sdk.FeedbackConfigSchema, wire.FeedbackConfigEntry>,
  Reads<sdk.FeedbackIngestToken, wire.FeedbackToken>,
  Reads<sdk.Dataset, wire.Dataset>,
  Reads<sdk.PublicDataset, wire.PublicDataset>,
  Reads<Omit<sdk.DatasetShareSchema, 'url'>, wire.DatasetShare>,
  Reads<sdk.ExampleSearch, wire.SimilarExample>,
  Reads<sdk.DatasetVersion, wire.DatasetVersion>,
  Reads<sdk.DatasetDiffInfo, wire.VersionDiff>,
  // Attachments are shown by their names, without the prefix that they have on the wire.
  Reads<Omit<sdk.Example, 'attachments'> & { attachment_urls?: unknown }, wire.Example>,
  Reads<sdk.ExamplesChanged, wire.ExamplesChanged>,
  Reads<sdk.ComparativeExperiment, wire.ListedComparativeExperiment>,
  Reads<sdk.RunGroupStats, wire.RunGroupStats>,
  Reads<sdk.FeedbackDelta, wire.FeedbackDelta>,
  Reads<Omit<sdk.ExperimentGroup, 'sessions'>, Omit<wire.ExperimentGroup, 'sessions'>>,
  Reads<sdk.ExperimentViewOverride, wire.ExperimentViewOverride>,
  Reads<sdk.KeyComparison, wire.KeyComparison>,
  Reads<sdk.ExperimentStatistics, wire.ExperimentStatistics>,
] = [
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
]

// Bodies: whatever our type lets a caller say must be something that the contract reads.
export const bodies: [
  sdk.RunQuery extends Partial<wire.RunQueryInput> ? true : never,
  Exclude<keyof wire.RunQueryInput, keyof sdk.RunQuery>,
] extends [true, never]
  ? true
  : false = true
