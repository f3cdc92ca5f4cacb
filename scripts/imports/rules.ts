/** Which module may import which: derived from the folders and their order, plus a list of exceptions. */
export interface ImportRules {
  /** Packages and top-level folders, each with the packages that it may import. */
  readonly packages: Readonly<Record<string, readonly string[]>>
  /**
   * Layers of a folder from bottom to top. A module may import its own layer and the layers before it; folders that share
   * a layer may not import each other. Files and folders that no layer names are at the top.
   */
  readonly layers: Readonly<Record<string, readonly Layer[]>>
  /** Folders whose sub-folders must all be listed as layers. */
  readonly complete: readonly string[]
  /**
   * Folders that other folders import only through their `index.ts` or that of a sub-folder. A trailing `/*` stands for
   * each folder directly below.
   */
  readonly entryPoints: readonly string[]
  readonly exceptions: readonly ImportException[]
}

/** A file or folder, or several that are on the same level. */
export type Layer = string | readonly string[]

/** One import that the layers forbid and that is allowed for a reason. */
export interface ImportException {
  readonly from: string
  readonly to: string
  readonly reason: string
}

const server = 'packages/server/src'
const web = 'packages/web/src'

export const RULES: ImportRules = {
  packages: {
    'packages/formats': [],
    'packages/contract': ['packages/formats'],
    'packages/sdk': ['packages/contract', 'packages/formats'],
    'packages/server': ['packages/contract', 'packages/formats'],
    'packages/web': ['packages/sdk', 'packages/contract', 'packages/formats'],
    'packages/cli': ['packages/sdk', 'packages/contract', 'packages/formats'],
    examples: ['packages/sdk'],
    // The benchmarks fill the engines directly to reach millions of rows.
    bench: ['packages/contract', 'packages/sdk', 'packages/server', 'e2e', 'scripts'],
    e2e: ['packages/contract', 'packages/sdk', 'bench', 'scripts'],
    scripts: ['packages/sdk', 'e2e'],
  },

  layers: {
    [server]: [
      ['append-to.ts', 'outcome.ts', 'patterns.ts', 'steady-clock.ts', 'time-slices.ts', 'outbound'],
      'json',
      'models',
      'settings.ts',
      'config.ts',
      'http/metrics.ts',
      'storage',
      'deps.ts',
      ['http', 'jobs'],
      'features',
      'ingest',
      ['lifecycle', 'api'],
    ],
    [`${server}/features`]: [
      'attachments',
      'feedback',
      'projects',
      'runs',
      'threads',
      'datasets',
      'accounts',
      'experiments',
      'annotation-queues',
      'dashboards',
      'model-prices',
      'model-providers',
      'model-jobs',
      'evaluators',
      'sql',
      'prompts',
      'notifications',
      'bulk-jobs',
      'rules',
      'budgets',
      'alerts',
      'playground',
      'sharing',
      'server',
    ],
    // What pages import of the shell is its frame; the rest of it shows things of the features.
    [web]: ['lib', 'ui', 'shell/frame', 'features', 'shell', 'routes'],
    // A folder of a feature has its own line where it needs more than the rest: queries of a noun are low, pages are high.
    [`${web}/features`]: [
      'accounts',
      'retention',
      'backups',
      'ingest',
      'bulk-jobs',
      'projects',
      'retention/page',
      'models',
      'filter',
      'payloads',
      'sharing',
      'runs',
      'feedback',
      'traces',
      'datasets',
      'experiments',
      'annotation-queues',
      'evaluators',
      'notifications',
      'rules',
      'runs/panel',
      'runs/bulk',
      'traces/page',
      'threads',
      'comparison',
      'annotation-queues/review',
      'prompts',
      'playground',
      'monitor',
      'home/queries.ts',
      'onboarding',
      'runs/list',
      'experiments/list',
      'datasets/list',
      'projects/list',
      'projects/settings',
      'home',
      'settings',
      'sharing/public',
    ],
  },

  complete: [`${server}/features`, `${web}/features`],

  entryPoints: [`${server}/features/*`, `${server}/lifecycle`, `${server}/api/*`, `${server}/ingest`],

  exceptions: [
    {
      from: `${web}/shell/frame/page-frame.tsx`,
      to: `${web}/shell/jobs-tray.tsx`,
      reason: 'every page shows the jobs of the workspace in its status bar; they are loaded after the page is drawn',
    },
    {
      from: 'e2e/support/fake-provider.ts',
      to: 'packages/server/src/testing/fake-provider.ts',
      reason:
        'one fake of the model providers for tests of the server and of journeys; it imports nothing of the server',
    },
    {
      from: 'e2e/support/instrumentations.ts',
      to: 'packages/server/src/ingest/otlp/instrumentations/index.ts',
      reason: 'one table of instrumentations for the page, recorded requests and programs; it imports only formats',
    },
    {
      from: 'e2e/support/test-stores.ts',
      to: 'packages/server/src/testing/test-stores.ts',
      reason: 'databases for tests are made in one way; it imports nothing of the server',
    },
    {
      from: 'e2e/support/store-proxy.ts',
      to: 'packages/server/src/testing/store-proxy.ts',
      reason: 'stores are taken away in one way; it imports nothing of the server',
    },
    ...['share-server', 'start-server'].map((name) => ({
      from: 'packages/cli/src/testing/terminal.ts',
      to: `e2e/support/${name}.ts`,
      reason: 'the built CLI is tested against the servers of the end-to-end tests, of which a worker starts one',
    })),
  ],
}
