"""Everything the knowledge base holds as facts: each claim, then each row of its specifications."""

from assistant.knowledge.article import Article
from assistant.knowledge.citation import cite_article
from assistant.knowledge.claim import Claim
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact
from assistant.knowledge.specification_facts import SpecificationFacts
from assistant.language.wording import Wording


def fact_of_claim(claim: Claim, article: Article) -> Fact:
    work = article.work(claim.work)
    start = article.body.index(claim.quote)
    citation = cite_article(
        article, claim.quote, start=start, section=article.section_at(start), works=(work,) if work else ()
    )
    return Fact(
        id=claim.id,
        kind="claim",
        about=claim.about,
        attribute=claim.attribute,
        value=claim.value,
        unit=claim.unit,
        text=claim.text,
        names=claim.names,
        qualifiers=claim.qualifiers,
        status=claim.status,
        attributed_to=claim.attributed_to,
        as_of=claim.qualifiers.as_of or (work.published if work else None),
        statement=claim.statement,
        citation=citation,
        series=claim.series,
    )


def facts_of(corpus: Corpus, phrases: Wording) -> list[Fact]:
    """Everything that can be stated, claims first."""
    corrected = {id_ for claim in corpus.claims.values() for id_ in claim.corrects}
    claims = [
        fact_of_claim(claim, corpus.articles[corpus.article_of[claim.id]]).model_copy(
            update={"superseded": claim.id in corrected}
        )
        for claim in corpus.claims.values()
    ]
    return [*claims, *SpecificationFacts(corpus, phrases)]
