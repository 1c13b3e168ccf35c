import JSONValue

@testable import JSONWebTokens

/// Tokens whose signature is right, but not what they claim.
let refusedForTheirClaims: [Refusal] = [
    Refusal(
        "expired", .expired(at: 940),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":940,"nbf":900,"iat":900}"#,
        signature: "CubOk-_46Z3SvsBwOQUGpbaWROMRUw5YCpfryFtpUIb89KSePuAgJ4TBq9Fc7ajca2TUrblS5MAhWk0eniYpBw"),
    Refusal(
        "expired just now", .expired(at: 970),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":970,"nbf":900,"iat":900}"#,
        signature: "ZQFN0s82J-X-JjpTvm71QfPs5lczYFxVqqESJfCWyKxzSoks5Xp1PLQDE7Rf_716nhDSkc-K89Tu58eHjVWvCQ"),
    Refusal(
        "no exp", .missing("exp"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","nbf":900,"iat":900}"#,
        signature: "I0JrJkovka_yL36GDVi9aVqm7FFvXgNtMUgx5oK20KoZB32rbCjpVqYYqNFh0IXsKWYEC7Fr78W7YgFIruWwBg"),
    Refusal(
        "exp is a string", .badMember("exp"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":"2000","nbf":900,"iat":900}"#,
        signature: "pmI5T-lXjWXhyeoqa-1-UzeOCPlHLModu3LzXmeZoXZx894fDUnlmDPtnSP_es-LXqw1WWXBCUmum1SQPTLkCA"),
    Refusal(
        "exp is huge", .badMember("exp"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"exp":1e300,"iss":"https://a.example","aud":"lists","sub":"ada"}"#,
        signature: "8mBl-pIeee4CWqY41JvNUeeWX5yUM8YGBQJQqKfWGyPfOo15blIHYsh8s1rIpvoBR_RTPE4L5NoMsO_XZ5pIBQ"),
    Refusal(
        "exp is null", .badMember("exp"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"exp":null,"iss":"https://a.example","aud":"lists","sub":"ada"}"#,
        signature: "VyAyFnmq5wzKHfjaKzPULLoqTrmkUHxbYbLK8S2XLg3OCaA73mID9sypypZHojrLuWm2qKWlOd8E2TOGD_peDQ"),
    Refusal(
        "not yet", .notYet(until: 1031),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":2000,"nbf":1031,"iat":900}"#,
        signature: "Oh9b-Ynhg4LncdXb-QlxsojfoAY0F_7NErANv-tYA1yi2V_dllWmQmYF2KsEr848hR4cKUs97hIEC12pT-eQDg"),
    Refusal(
        "issued later", .notYet(until: 1031),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":2000,"nbf":900,"iat":1031}"#,
        signature: "ftm9QTkixdV2AFJgmDLVhSPuYIEEtBU0rGyVgnFD5FdRlzVAmfkCjUGGFlc88yOHR6rPzLBHpCKVG-QmwpanAw"),
    Refusal(
        "nbf is a string", .badMember("nbf"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"ada","exp":2000,"nbf":"900","iat":900}"#,
        signature: "TPT_s1sCs7SJT5oUeMOS4reBiggMzrggK8-U36_XtUqMvwoEtvhlbdQIIRu09M7E74BULuL6Em0im_ZfnUgsCw"),
    Refusal(
        "another issuer", .issuer,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example/","aud":"lists","sub":"ada","exp":2000,"nbf":900,"iat":900}"#,
        signature: "8bMyzV7adno3k50p4R-FagzoZz_BALv6Rkx8DhivvmV9y1QHJ5uXM44Xv8cbiXtIpyf51JayufPSThACuO4hDw"),
    Refusal(
        "no issuer", .missing("iss"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"aud":"lists","sub":"ada","exp":2000,"nbf":900,"iat":900}"#,
        signature: "9XNSpRFjDY_u5RmQVFv1fq6r9vj_nL5po7EWbZ0FyVpLUAIDe0ZfhH2QXjN96QewQRK9Z9_Jd6o6RIZ02qSVCw"),
    Refusal(
        "issuer is an array", .badMember("iss"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":["https://a.example"],"aud":"lists","sub":"ada","exp":2000,"nbf":900,"iat":900}"#,
        signature: "dj0iIWy1VMB8gPRXCy_GGfnU_QhSU9q7MPIwTY1ZwWpf5pJXTfAl-iGJSO6fnCEzgWBYwfuBTNQvoLeVvwWxBA"),
    Refusal(
        "another audience", .audience,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"list","sub":"ada","exp":2000,"nbf":900,"iat":900}"#,
        signature: "cLL_F824Z8ZB6A3j6-dX-F8EsqYaFL074Gpc3hQz7Ls4r1PcQdcmjBauV6S7M0pYQ6kggnPd3t5ikYjE4VF2Bw"),
    Refusal(
        "other audiences", .audience,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":["a","b"],"sub":"ada","exp":2000,"nbf":900,"iat":900}"#,
        signature: "MHgej18NouvgSgikf8oMRWzgtlgKeeC4GRdghQjm-Ar8q6S3l4OQ6ePwk0CGd_WwYGtKtR7f8rDZtqhEbpG2DQ"),
    Refusal(
        "audience in an array of an array", .audience,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":[["lists"]],"sub":"ada","exp":2000,"nbf":900,"iat":900}"#,
        signature: "BL25weRsLF0dOoWcwT67G3Pbt0-UuwANLaM6OIhxnTqkD77NzRvIP7IPkAdSuOoavateOc288JBef5jW--R5AA"),
    Refusal(
        "no audience", .missing("aud"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","sub":"ada","exp":2000,"nbf":900,"iat":900}"#,
        signature: "6qiZaL8KnZZTJ2989_HEv9YuyglQjXyo1KfX2mg04l-Yb5YWWvM6OHkaq6uCe0CIKsQUyGTK3WaSUQlF2gmjAw"),
    Refusal(
        "audience is a number", .badMember("aud"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":1,"sub":"ada","exp":2000,"nbf":900,"iat":900}"#,
        signature: "UZhLqbrNprF3YXxREJVC3G64PNsWMm171HqBSEmO1rT5Y7qSgRwTnEKROQ1vvpKz_A0quoR4qQeBn-o04i_3Cw"),
    Refusal(
        "no subject", .missing("sub"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","exp":2000,"nbf":900,"iat":900}"#,
        signature: "R67dXG05Jpo1BajA87qvA-V_ti5S_0sO8LIbrUfJuBjXR2WfkwmpJYKclFRDupjHQCy1_rV8XwzdT_EgabZ4Dg"),
    Refusal(
        "empty subject", .subject,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"","exp":2000,"nbf":900,"iat":900}"#,
        signature: "6DezfLevcntXYSNqRni-MF8ik70qI8TADnrzVeUxIaO3_RQHDnsnwzdJGQKw8jQoF3gn2-bzK6-j6zp1MW9bBg"),
    Refusal(
        "long subject", .subject,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"""
            {"iss":"https://a.example","aud":"lists","sub":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\#
            aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\#
            aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\#
            aaaaaaaaaaaaaaaaaaaaaaaaaaaa","exp":2000,"nbf":900,"iat":900}
            """#,
        signature: "u7srwkUe3-y2OShaNZHzowOV2EVUVnoDKPdKT_kGqc4V7sMMKEg9UodWCH7Ea5zmvXunRNvQM6d7Sf6rm22jBg"),
    Refusal(
        "subject with NUL", .subject,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"a\u0000","exp":2000,"nbf":900,"iat":900}"#,
        signature: "WbgCFWEuNb9T1a-_TYH3mYAZnc1qlevd__2iwmiOOC7Aj6eAI4uhNK8TZU48VAQaNVyDQUI2e62J4JdKfqv3Ag"),
    Refusal(
        "subject with a C1 control", .subject,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":"a\u0085","exp":2000,"nbf":900,"iat":900}"#,
        signature: "Hr_XHqqhB84eECAIT9pu1sROScWs7cYAP-IOSiU7Sn4zwOX-SHQ7qMIj1C2ILpS4lex9Qkm4drHjv5GKsYi0Ag"),
    Refusal(
        "subject is a number", .badMember("sub"),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"iss":"https://a.example","aud":"lists","sub":1,"exp":2000,"nbf":900,"iat":900}"#,
        signature: "R_hwrZEoXA8dHLzeGho-sOwUoMl_OeLVIB0dDuDTPWsWgKYL8hNclBKVse8Et9-TJOBFvHjqk3_ONuKZZxdvBg"),
]
