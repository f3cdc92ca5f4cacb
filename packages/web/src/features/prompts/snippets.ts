import { type LabeledSnippet, quoteForShell } from '#lib/snippets.ts'

export interface PullFacts {
  /** `http://localhost:3000` */
  readonly origin: string
  readonly owner: string
  readonly repo: string
  /** Hash, beginning of a hash, tag or `latest`. */
  readonly commit: string
  /** Whether the model comes along. */
  readonly hasModel: boolean
}

/** Programs that pull a commit from this server. */
export function pullSnippets({ origin, owner, repo, commit, hasModel }: PullFacts): LabeledSnippet[] {
  const isForeign = owner !== '-'
  const name = toReference({ owner, repo, commit })
  const environment = [
    `export LANGSMITH_ENDPOINT=${quoteForShell(`${origin}/api/v1`)}`,
    `export LANGSMITH_API_KEY='<your API key>'`,
  ]
  const python = [
    ...(hasModel ? ['include_model=True'] : []),
    ...(isForeign ? ['dangerously_pull_public_prompt=True'] : []),
  ]
  const typescript = [
    ...(hasModel ? ['includeModel: true'] : []),
    ...(isForeign ? ['dangerouslyPullPublicPrompt: true'] : []),
  ]
  const path = ['commits', owner, repo, commit].map(encodeURIComponent).join('/')
  return [
    {
      label: 'Python',
      text: [
        '# pip install langsmith langchain-core',
        ...environment.map((line) => `# ${line}`),
        'from langsmith import Client',
        '',
        `prompt = Client().pull_prompt(${[JSON.stringify(name), ...python].join(', ')})`,
      ].join('\n'),
    },
    {
      label: 'TypeScript',
      text: [
        '// npm install langsmith',
        ...environment.map((line) => `// ${line}`),
        "import { Client } from 'langsmith'",
        '',
        `const { manifest } = await new Client().pullPromptCommit(${[
          `'${name}'`,
          ...(typescript.length > 0 ? [`{ ${typescript.join(', ')} }`] : []),
        ].join(', ')})`,
      ].join('\n'),
    },
    {
      label: 'curl',
      text: [
        `curl -sS ${quoteForShell(`${origin}/api/v1/${path}${hasModel ? '?include_model=true' : ''}`)} \\`,
        `  -H 'x-api-key: <your API key>'`,
      ].join('\n'),
    },
  ]
}

type Reference = Pick<PullFacts, 'owner' | 'repo' | 'commit'>

function toReference({ owner, repo, commit }: Reference): string {
  return `${owner === '-' ? '' : `${owner}/`}${repo}${commit === 'latest' ? '' : `:${commit}`}`
}

/** Programs that push a first prompt. */
export const FIRST_PROMPT: readonly LabeledSnippet[] = [
  {
    label: 'Python',
    text: `# pip install langsmith langchain-core
from langchain_core.prompts import ChatPromptTemplate
from langsmith import Client

prompt = ChatPromptTemplate([
    ("system", "You answer in one short sentence."),
    ("human", "{question}"),
])
print(Client().push_prompt("short-answer", object=prompt, commit_tags=["production"]))`,
  },
  {
    label: 'TypeScript',
    text: `// npm install langsmith @langchain/core
// Save as push.mts and run: npx tsx push.mts
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { Client } from 'langsmith'

const prompt = ChatPromptTemplate.fromMessages([
  ['system', 'You answer in one short sentence.'],
  ['human', '{question}'],
])
console.log(await new Client().pushPrompt('short-answer', { object: prompt, commitTags: ['production'] }))`,
  },
]

/** How a program names the commit that a run used, so that its runs are listed with the commit. */
export function runMetadataSnippets({ owner, repo, commit }: Reference): LabeledSnippet[] {
  const isForeign = owner !== '-'
  const [name, text] = [toReference({ owner, repo, commit }), JSON.stringify(repo)]
  return [
    {
      label: 'Python',
      text: `commit = client.pull_prompt_commit(${JSON.stringify(name)}${isForeign ? ', dangerously_pull_public_prompt=True' : ''})
metadata = {
    "lc_hub_owner": ${JSON.stringify(owner)},
    "lc_hub_repo": ${text},
    "lc_hub_commit_hash": commit.commit_hash,
}

answer(question, langsmith_extra={"metadata": metadata})  # answer is @traceable`,
    },
    {
      label: 'TypeScript',
      text: `const { commit_hash } = await client.pullPromptCommit('${name}'${isForeign ? ', { dangerouslyPullPublicPrompt: true }' : ''})
const metadata = { lc_hub_owner: '${owner}', lc_hub_repo: '${repo}', lc_hub_commit_hash: commit_hash }

const answer = traceable(callModel, { name: 'answer', metadata })`,
    },
  ]
}
