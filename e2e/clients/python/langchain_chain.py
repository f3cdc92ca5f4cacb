import langchain_core
from harness import TASK, answer, fields
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnableParallel
from langchain_core.tracers import LangChainTracer
from langsmith import Client

client = Client()
tracer = LangChainTracer(project_name=TASK["project"], client=client)
reply = AIMessage(
    "Gold ist echt",
    usage_metadata={
        "input_tokens": 20,
        "output_tokens": 10,
        "total_tokens": 30,
        "input_token_details": {"cache_read": 5},
    },
)
model = GenericFakeChatModel(messages=iter([reply, AIMessage("Ja nun gut")]))
prompt = ChatPromptTemplate.from_messages([("system", "You are {manner}."), ("user", "{question}")])
chain = prompt | model | StrOutputParser()
config = {
    "callbacks": [tracer],
    "metadata": {"thread_id": "thread-3", "ls_provider": "openai", "ls_model_name": "gpt-4.1-mini"},
}

said = chain.invoke({"manner": "brief", "question": "Gold?"}, {**config, "run_name": "ask"})
pieces = list(chain.stream({"manner": "slow", "question": "Gold?"}, {**config, "run_name": "stream"}))
both = RunnableParallel(upper=RunnableLambda(str.upper), length=RunnableLambda(len))
both.invoke("gold", {**config, "run_name": "both"})
client.flush()

runs = sorted(client.list_runs(project_name=TASK["project"]), key=lambda run: run.dotted_order)
answer({"version": langchain_core.__version__, "said": said, "pieces": pieces, "runs": [fields(run) for run in runs]})
