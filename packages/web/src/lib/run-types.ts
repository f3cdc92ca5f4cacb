/** A displayed run type. `agent` is a chain whose name or metadata marks it as an agent. */
export type RunTypeName = 'llm' | 'chain' | 'agent' | 'tool' | 'retriever' | 'embedding' | 'prompt' | 'parser'

/** Icon (a lucide name) and colors of a run type. The colors are CSS values that follow the theme. */
export interface RunTypeLook {
  icon: string
  label: string
  /** Icon and text. */
  ink: string
  /** Edges and the minimap. */
  solid: string
  /** Fill of bars and chips; text on it is `--fg`. */
  tint: string
}

/** Light and dark `[ink, solid, tint]`; the stylesheet's `--type-*` variables carry the same values. */
export const RUN_TYPE_COLORS: Record<RunTypeName, { light: [string, string, string]; dark: [string, string, string] }> =
  {
    llm: { light: ['#7444b4', '#9163d5', '#f2edfe'], dark: ['#c7a8ff', '#a17ae1', '#2b223c'] },
    chain: { light: ['#596475', '#758192', '#ebf1f8'], dark: ['#b0bccb', '#8893a3', '#23282f'] },
    agent: { light: ['#993582', '#ba54a1', '#fee9f7'], dark: ['#f397d9', '#c96cb1', '#371d30'] },
    tool: { light: ['#9a4901', '#bb672c', '#feece2'], dark: ['#f3a677', '#ca7c4a', '#3b200f'] },
    retriever: { light: ['#00736a', '#1b9388', '#dbf7f3'], dark: ['#77cdc2', '#46a499', '#012f2b'] },
    embedding: { light: ['#036e8b', '#138db1', '#ddf5ff'], dark: ['#74c8e8', '#429fc0', '#032c3a'] },
    prompt: { light: ['#766202', '#957f23', '#f6f0da'], dark: ['#cdba73', '#a59146', '#2f2706'] },
    parser: { light: ['#4a710a', '#668f33', '#eaf5e0'], dark: ['#a3c97c', '#7aa050', '#1f2c11'] },
  }

const ICONS: Record<RunTypeName, string> = {
  llm: 'Sparkles',
  chain: 'Link2',
  agent: 'Bot',
  tool: 'Wrench',
  retriever: 'FileSearch',
  embedding: 'Binary',
  prompt: 'MessageSquareText',
  parser: 'Braces',
}

/** The order in which types are listed and numbered. */
export const RUN_TYPE_NAMES = Object.keys(ICONS) as RunTypeName[]

/** Icon, label and colors of a type. Unknown types get a dashed circle in the colors of a chain. */
export function runTypeLook(type: string): RunTypeLook {
  const known = isRunTypeName(type)
  const colors = known ? type : 'chain'
  return {
    icon: known ? ICONS[type] : 'CircleDashed',
    label: type,
    ink: `var(--type-${colors}-ink)`,
    solid: `var(--type-${colors}-solid)`,
    tint: `var(--type-${colors}-tint)`,
  }
}

/** The type to display: a chain that is named or marked as an agent is an `agent`. */
export function drawnRunType(run: { run_type: string; name: string }, isMarkedAgent = false): string {
  if (run.run_type !== 'chain') return run.run_type
  return isMarkedAgent || /(^|[^a-z])agent([^a-z]|$)|Agent(Executor)?$/i.test(run.name) ? 'agent' : 'chain'
}

/** `--type-llm-ink: #7444b4; …` for one theme, for the stylesheet. */
export function runTypeVariables(theme: 'light' | 'dark'): string {
  return RUN_TYPE_NAMES.map((type) => {
    const [ink, solid, tint] = RUN_TYPE_COLORS[type][theme]
    return `--type-${type}-ink: ${ink}; --type-${type}-solid: ${solid}; --type-${type}-tint: ${tint};`
  }).join('\n')
}

function isRunTypeName(type: string): type is RunTypeName {
  return Object.hasOwn(ICONS, type)
}
