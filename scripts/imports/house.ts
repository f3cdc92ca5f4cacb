/** Which part may import which. An edge that is not listed is forbidden; every edge has its reason. */
export interface House {
  /** Parts by folder (or file), from the repository's root; a file belongs to the longest that holds it. */
  readonly parts: readonly Part[]
  readonly edges: readonly Edge[]
  /** Single imports against the table that stand for now; each is a debt with a name. */
  readonly debts: readonly Debt[]
}

export interface Part {
  readonly folder: string
  /** The only file that other parts may import; absent, any file may be. */
  readonly door?: string
  /** Assembles the house: may import every part of its own package. */
  readonly assembles?: true
}

/** `from` and `to` are folders of parts; a trailing `/*` stands for each part right below. */
export type Edge = readonly [from: string, to: string, because: string]

export interface Debt {
  readonly file: string
  readonly imports: string
  readonly because: string
}

const server = 'packages/server/src'
const web = 'packages/web/src'
const room = (name: string): Part => ({
  folder: `${server}/features/${name}`,
  door: `${server}/features/${name}/index.ts`,
})

export const HOUSE: House = {
  parts: [
    { folder: 'packages/contract' },
    { folder: 'packages/sdk' },
    { folder: 'packages/cli' },
    { folder: 'packages/server' },
    { folder: 'packages/web' },
    { folder: 'e2e' },
    { folder: 'bench' },
    { folder: 'examples' },
    { folder: 'scripts' },

    { folder: server, assembles: true },
    { folder: `${server}/config.ts` },
    { folder: `${server}/settings.ts` },
    { folder: `${server}/deps.ts` },
    { folder: `${server}/http` },
    { folder: `${server}/http/metrics.ts` },
    { folder: `${server}/storage` },
    { folder: `${server}/json` },
    { folder: `${server}/jobs`, door: `${server}/jobs/index.ts` },
    { folder: `${server}/ingest`, door: `${server}/ingest/index.ts` },
    { folder: `${server}/testing`, assembles: true },
    ...[
      'auth',
      'feedback',
      'run-stats',
      'run-deletions',
      'info',
      'model-prices',
      'projects',
      'runs',
      'traces',
      'blobs',
      'workspaces',
      'share-tokens',
      'sharing',
      'dataset-search',
      'dataset-sharing',
      'examples',
      'dataset-versions',
      'datasets',
      'dataset-schemas',
      'dataset-files',
      'v2',
      'experiments',
      'comparative-experiments',
      'experiment-statistics',
      'annotation-queues',
      'queue-items',
      'prompts',
      'prompt-commits',
      'hub-directories',
    ].map(room),

    { folder: web, assembles: true },
    { folder: `${web}/routes` },
    { folder: `${web}/shell` },
    { folder: `${web}/data` },
    { folder: `${web}/domain` },
    { folder: `${web}/ui` },
    { folder: `${web}/lib` },
  ],

  edges: [
    // Between packages: downhill, contract at the bottom; server and sdk meet only where both are under test.
    ['packages/sdk', 'packages/contract', 'shapes and routes are written once'],
    ['packages/server', 'packages/contract', 'shapes and routes are written once'],
    ['packages/web', 'packages/sdk', 'the UI is the first customer of the public API'],
    ['packages/web', 'packages/contract', 'the types of what the API answers'],
    ['packages/cli', 'packages/sdk', 'retries, paging and errors exist once'],
    ['packages/cli', 'packages/contract', 'the types of what the API answers'],
    ['e2e', 'packages/contract', 'both ends under test'],
    ['e2e', 'packages/sdk', 'our own client is driven against the built server'],
    ['bench', 'packages/contract', 'builds the records it sends'],
    ['bench', 'packages/sdk', 'measures it'],
    ['bench', 'packages/server', 'fills the engines directly to reach millions of rows'],
    ['bench', 'e2e', 'starts the built server the same way'],
    ['examples', 'packages/sdk', 'what a user would write'],
    ['scripts', 'packages/sdk', 'the demo seed sends through the public client'],
    ['scripts', 'e2e', 'starts the built server the same way'],
    ['e2e', 'scripts', 'insists on a fresh build, and fills the UI with the demo'],

    // Inside the server: everything stands on the ground floor, rooms know each other through front doors.
    [`${server}/*`, `${server}/deps.ts`, 'names what it needs of the house'],
    [`${server}/features/*`, `${server}/deps.ts`, 'names what it needs of the house'],
    [`${server}/deps.ts`, `${server}/config.ts`, 'settings are part of what a room may ask for'],
    [`${server}/deps.ts`, `${server}/http/metrics.ts`, 'the type of the metrics'],
    [`${server}/http`, `${server}/http/metrics.ts`, 'requests are counted'],
    [`${server}/storage`, `${server}/http/metrics.ts`, 'queries are counted'],
    [`${server}/deps.ts`, `${server}/storage`, 'the types of the ports'],
    [`${server}/config.ts`, `${server}/settings.ts`, 'the table of what an operator may decide'],
    [`${server}/settings.ts`, `${server}/config.ts`, 'the types of what it parses to'],
    [`${server}/http`, `${server}/config.ts`, 'limits and addresses'],
    [`${server}/storage`, `${server}/config.ts`, 'which engines to open'],
    [`${server}/features/*`, `${server}/config.ts`, 'limits told to clients'],
    [`${server}/ingest`, `${server}/config.ts`, 'limits of what is taken in'],
    [`${server}/features/*`, `${server}/http`, 'routes are served there'],
    [`${server}/features/*`, `${server}/storage`, 'ports and SQL'],
    [`${server}/features/*`, `${server}/json`, 'JSON text is cut and shortened'],
    [`${server}/features/*`, `${server}/jobs`, 'work that outlives its request'],
    [`${server}/jobs`, `${server}/storage`, 'a job is a row'],
    [`${server}/ingest`, `${server}/json`, 'JSON text is cut, shortened and flattened'],
    [`${server}/ingest`, `${server}/http`, 'routes are served there'],
    [`${server}/ingest`, `${server}/storage`, 'ports and SQL'],
    [`${server}/ingest`, `${server}/features/projects`, 'a run names its project, which may be new'],
    [`${server}/ingest`, `${server}/features/runs`, 'a patch merges onto the stored run'],
    [`${server}/ingest`, `${server}/features/model-prices`, 'costs are computed when a run is written'],
    [`${server}/ingest`, `${server}/features/feedback`, 'feedback travels with runs'],
    [`${server}/features/runs`, `${server}/features/feedback`, 'a run tells what was thought of it'],
    [`${server}/features/projects`, `${server}/features/feedback`, 'figures of a project, and what goes with it'],
    [`${server}/features/runs`, `${server}/features/projects`, 'a query may name projects'],
    [`${server}/features/runs`, `${server}/features/blobs`, 'signs the URLs of attachments'],
    [`${server}/features/run-stats`, `${server}/features/runs`, 'figures are over the runs of a query'],
    [`${server}/features/run-stats`, `${server}/features/projects`, 'a dataset stands for its experiments'],
    [`${server}/features/run-stats`, `${server}/features/feedback`, 'feedback is among the figures'],
    [`${server}/features/run-deletions`, `${server}/features/runs`, 'a deletion names runs as a query does'],
    [`${server}/features/run-deletions`, `${server}/features/feedback`, 'feedback goes with its run'],
    [`${server}/features/auth`, `${server}/features/workspaces`, 'a key speaks for a workspace'],
    [`${server}/features/workspaces`, `${server}/features/projects`, 'a workspace comes with its default project'],
    [`${server}/features/workspaces`, `${server}/features/datasets`, 'how much a workspace holds'],
    [`${server}/features/runs`, `${server}/features/share-tokens`, 'a run tells its share token'],
    [`${server}/features/projects`, `${server}/features/share-tokens`, 'a deleted project revokes its tokens'],
    [`${server}/features/run-deletions`, `${server}/features/share-tokens`, 'a deleted run revokes its token'],
    [`${server}/features/sharing`, `${server}/features/share-tokens`, 'a token opens a run'],
    [`${server}/features/sharing`, `${server}/features/runs`, 'what is opened is read as any run'],
    [`${server}/features/sharing`, `${server}/features/traces`, 'a shared trace is drawn as any other'],
    [`${server}/features/sharing`, `${server}/features/feedback`, 'and with what was thought of it'],
    [`${server}/features/sharing`, `${server}/features/projects`, 'a shared run is listed with its project'],
    [`${server}/features/sharing`, `${server}/features/dataset-schemas`, 'shows the schemas that datasets refer to'],
    [`${server}/features/v2`, `${server}/features/runs`, 'the same rows in another form'],
    [`${server}/features/v2`, `${server}/features/feedback`, 'figures of the feedback on threads'],
    [`${server}/features/v2`, `${server}/features/projects`, 'a dataset stands for its experiments'],
    [`${server}/features/v2`, `${server}/features/share-tokens`, 'a trace is shared by its root'],
    [`${server}/features/v2`, `${server}/features/sharing`, 'what a token opens, in another form'],
    [`${server}/features/traces`, `${server}/features/runs`, 'a spine is made of runs'],
    [`${server}/features/traces`, `${server}/features/projects`, 'an id may stand for a project'],

    [
      `${server}/features/datasets`,
      `${server}/features/projects`,
      'experiments are projects: counted, and kept when their dataset goes',
    ],
    [
      `${server}/features/datasets`,
      `${server}/features/dataset-schemas`,
      'a definition is checked before it is stored',
    ],
    [
      `${server}/features/examples`,
      `${server}/features/datasets`,
      'an example belongs to a dataset, which is locked while it changes',
    ],
    [
      `${server}/features/examples`,
      `${server}/features/dataset-schemas`,
      'an example is transformed and checked before it is stored',
    ],
    [`${server}/features/examples`, `${server}/features/runs`, 'an example may be made from a run'],
    [
      `${server}/features/examples`,
      `${server}/features/blobs`,
      'signs the URLs of attachments, and copies those of runs',
    ],
    [`${server}/features/dataset-versions`, `${server}/features/datasets`, 'versions are those of a dataset'],
    [
      `${server}/features/dataset-versions`,
      `${server}/features/examples`,
      'versions differ by examples; a split is a change of them',
    ],
    [`${server}/features/experiments`, `${server}/features/datasets`, 'an experiment is over a dataset'],
    [`${server}/features/experiments`, `${server}/features/examples`, 'runs are shown with the example they ran'],
    [`${server}/features/experiments`, `${server}/features/projects`, 'an experiment is a project'],
    [`${server}/features/experiments`, `${server}/features/runs`, 'its results are runs, filtered and shown as such'],
    [`${server}/features/experiments`, `${server}/features/run-stats`, 'figures of groups of runs'],
    [`${server}/features/experiments`, `${server}/features/feedback`, 'with what was thought of them'],
    [`${server}/features/experiments`, `${server}/features/v2`, 'the same page as generated clients want it'],
    [`${server}/features/comparative-experiments`, `${server}/features/datasets`, 'a comparison is over a dataset'],
    [`${server}/features/comparative-experiments`, `${server}/features/projects`, 'what it compares are projects'],
    [`${server}/features/comparative-experiments`, `${server}/features/feedback`, 'its scores are feedback'],
    [`${server}/features/experiment-statistics`, `${server}/features/experiments`, 'scores by example are read there'],
    [`${server}/features/experiment-statistics`, `${server}/features/feedback`, 'which way a score is better'],
    [
      `${server}/features/dataset-files`,
      `${server}/features/datasets`,
      'files are read into datasets, and written from them',
    ],
    [`${server}/features/dataset-files`, `${server}/features/examples`, 'a row is an example; all rows are one change'],
    [
      `${server}/features/dataset-files`,
      `${server}/features/dataset-schemas`,
      'messages are exported in the form of OpenAI',
    ],
    [`${server}/features/sharing`, `${server}/features/datasets`, 'a shared dataset is listed by its name'],
    [`${server}/features/dataset-sharing`, `${server}/features/share-tokens`, 'a token opens a dataset'],
    [`${server}/features/dataset-sharing`, `${server}/features/datasets`, 'what is opened is read as any dataset'],
    [`${server}/features/dataset-sharing`, `${server}/features/examples`, 'and its examples'],
    [`${server}/features/dataset-sharing`, `${server}/features/blobs`, 'with their attachments'],
    [`${server}/features/dataset-sharing`, `${server}/features/projects`, 'experiments are projects'],
    [`${server}/features/dataset-sharing`, `${server}/features/runs`, 'of runs'],
    [`${server}/features/dataset-sharing`, `${server}/features/run-stats`, 'with figures'],
    [`${server}/features/dataset-sharing`, `${server}/features/feedback`, 'and what was thought of them'],
    [`${server}/features/dataset-search`, `${server}/features/datasets`, 'a version of a dataset is searched'],
    [`${server}/features/dataset-search`, `${server}/features/examples`, 'for examples'],
    [
      `${server}/features/dataset-search`,
      `${server}/features/dataset-schemas`,
      'what is looked for has the form of an example',
    ],
    [`${server}/features/dataset-files`, `${server}/features/projects`, 'an uploaded experiment is a project'],
    [`${server}/features/dataset-sharing`, `${server}/features/experiments`, 'and compared'],
    [`${server}/features/dataset-sharing`, `${server}/features/comparative-experiments`, 'by evaluators too'],
    [`${server}/features/prompts`, `${server}/features/workspaces`, 'a prompt is called by the handle of its owner'],
    [
      `${server}/features/prompt-commits`,
      `${server}/features/prompts`,
      'a commit belongs to a prompt, which is locked',
    ],
    [`${server}/features/prompt-commits`, `${server}/features/runs`, 'a commit may show runs as examples'],
    [`${server}/features/hub-directories`, `${server}/features/prompts`, 'agents and skills are kept as prompts are'],
    [`${server}/features/hub-directories`, `${server}/features/prompt-commits`, 'and so are their histories'],
    [`${server}/features/annotation-queues`, `${server}/features/queue-items`, 'a queue is made of items'],
    [`${server}/features/annotation-queues`, `${server}/features/auth`, 'a reviewer is whoever calls'],
    [`${server}/features/annotation-queues`, `${server}/features/runs`, 'runs wait in it'],
    [`${server}/features/annotation-queues`, `${server}/features/v2`, 'and threads'],
    [`${server}/features/annotation-queues`, `${server}/features/projects`, 'it is filled from experiments'],
    [`${server}/features/annotation-queues`, `${server}/features/feedback`, 'what reviewers thought is exported'],
    [`${server}/features/annotation-queues`, `${server}/features/datasets`, 'corrections have a dataset'],
    [`${server}/features/annotation-queues`, `${server}/features/examples`, 'and become examples of it'],
    [`${server}/features/projects`, `${server}/features/queue-items`, 'runs of a deleted project wait no longer'],
    [`${server}/features/run-deletions`, `${server}/features/queue-items`, 'nor does a deleted run'],

    // Inside the UI: pages on pictures of our nouns, on controls, on arithmetic; data comes through the SDK only.
    [`${web}/routes`, `${web}/domain`, 'pages are composed of pictures of our nouns'],
    [`${web}/routes`, `${web}/data`, 'a page reads and hands plain props down'],
    [`${web}/routes`, `${web}/ui`, 'controls'],
    [`${web}/routes`, `${web}/lib`, 'arithmetic'],
    [`${web}/routes`, `${web}/shell`, 'the frame around every page'],
    [`${web}/shell`, `${web}/domain`, 'the frame names things as pages do'],
    [`${web}/shell`, `${web}/data`, 'crumbs, palette and snippets read names and keys'],
    [`${web}/shell`, `${web}/ui`, 'controls'],
    [`${web}/shell`, `${web}/lib`, 'arithmetic'],
    [`${web}/domain`, `${web}/data`, 'a picture may fetch its own payload'],
    [`${web}/domain`, `${web}/ui`, 'controls'],
    [`${web}/domain`, `${web}/lib`, 'arithmetic'],
    [`${web}/data`, `${web}/lib`, 'arithmetic'],
    [`${web}/ui`, `${web}/lib`, 'arithmetic'],
  ],

  debts: [],
}
